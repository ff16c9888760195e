"""The index: embeddings, the Chroma store, lexical search, fusion and retrieval."""
