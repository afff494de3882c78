"""The documentation site: its pages, and what Sphinx needs to build them."""
