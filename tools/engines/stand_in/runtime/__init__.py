"""Trino's functions that DuckDB has none for, or another of the same name, as Python."""
