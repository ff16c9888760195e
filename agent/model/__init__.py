"""The model: the chat endpoint, the local server and its weights, and reading replies."""
