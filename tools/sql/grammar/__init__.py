"""Trino's own grammar of queries: what the engine does not read, though a lenient parser does."""
