"""Chunks: what is indexed, one retrievable text each."""
