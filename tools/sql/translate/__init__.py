"""One statement of DuckDB's SQL into Athena's, with types."""
