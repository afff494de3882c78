"""Settings of Sphinx: ``python -m sphinx -W project/docs build/docs`` builds the site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sphinx.application import Sphinx

import spacy_gapdner
from project.docs import commands, docstrings, included, pictures

project = "spacy-gapdner"
version = release = spacy_gapdner.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
# single backticks in docstrings become a link if there is an object of this name, else code
default_role = "py:obj"
highlight_language = "text"
# otherwise the two hyphens of --config become a dash
smartquotes = False

myst_heading_anchors = 3
# examples of .ini files can be incomplete
suppress_warnings = ["misc.highlighting_failure"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"spacy-gapdner {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False


def setup(app: Sphinx) -> dict[str, bool]:
    """Add our directives and listeners to Sphinx. Pages may be read and written in parallel."""
    app.connect("autodoc-process-docstring", docstrings.process_docstring)
    app.connect("autodoc-skip-member", docstrings.skip_member)
    app.connect("missing-reference", docstrings.find_name)
    app.connect("source-read", included.read_source)
    app.add_directive("gapdner-commands", commands.Commands)
    app.add_directive("gapdner-example", pictures.Example)
    app.add_directive("gapdner-picture", pictures.Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
