"""Applications with a web page: annotate and serve."""
