"""Athena without Athena: its SQL, types and values over a DuckDB file."""
