"""Trino, through its own client: for whoever runs one, and as the judge of what Athena does."""
