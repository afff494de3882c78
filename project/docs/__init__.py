"""Build the documentation site, with our Sphinx extensions."""
