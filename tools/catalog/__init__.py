"""What the warehouse holds: tables, columns, keys, profiles, and how tables join."""
