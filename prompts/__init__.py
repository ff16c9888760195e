"""Prompts: one Markdown file each, and the loader."""
