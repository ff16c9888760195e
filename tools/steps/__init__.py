"""Statements of several steps: taken apart into named CTEs, checked one by one, put together."""
