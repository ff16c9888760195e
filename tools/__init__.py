"""What is deterministic: catalog, engines, SQL, results, chunks and the index."""
