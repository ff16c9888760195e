"""What runs SQL: one file an engine, behind one protocol."""
