"""QueryMend answers questions about a warehouse, and is never silently wrong."""
