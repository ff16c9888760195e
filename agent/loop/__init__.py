"""The state machine: one stage a file, and the graph that joins them."""
