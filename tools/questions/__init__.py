"""What a question says, read by rule: its period, its bounds, what it names."""
