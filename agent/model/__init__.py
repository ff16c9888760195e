"""The model side: prompts go out, replies come back, and one SQL text is read from each."""
