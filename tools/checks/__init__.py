"""Static checks that read the question: literals, keys, words and bounds, held against the SQL."""
