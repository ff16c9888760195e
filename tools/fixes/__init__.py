"""Rule fixes: repair a query on its tree, without a model."""
