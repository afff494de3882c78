"""The documentation site and its Sphinx extensions."""
