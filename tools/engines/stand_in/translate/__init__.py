"""Trino's SQL into DuckDB's, by types; what has no equal there is refused with a reason."""
