"""Packs: examples, facts, descriptions and demo data, and the loader."""
