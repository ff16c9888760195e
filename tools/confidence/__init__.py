"""How likely an answer is right: traits of statement, question, result and findings, weighed."""
