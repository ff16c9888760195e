"""Results: shape checks, expectations, comparing, and summaries for a model."""
