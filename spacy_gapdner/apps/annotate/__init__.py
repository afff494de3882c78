"""Serve a web page for annotating and correcting entities, with proposals by a model."""
