"""SQL as a tree: parsing, the gate, checks and fixes. No model and no engine."""
