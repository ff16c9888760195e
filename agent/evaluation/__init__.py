"""Evaluation: ask many questions, score the answers, compare two runs."""
