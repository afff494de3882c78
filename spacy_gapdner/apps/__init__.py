"""Serve web pages for annotation and prediction."""
