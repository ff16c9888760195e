"""Rule fixes in the loop: candidates are tried on the engine, within the budget."""
