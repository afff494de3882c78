"""Readers of corpora with formats of their own."""
