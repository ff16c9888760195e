"""Static types of Trino and Athena SQL: what every expression is, and what the engine refuses."""
