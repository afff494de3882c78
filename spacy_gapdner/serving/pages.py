"""The page to try a model, and the one that says how programs ask it."""

from pathlib import Path

from markupsafe import Markup

from ..drawing.page import LINES_JS, TEMPLATES, render_page

_STATIC = Path(__file__).parent / "static"


def render_app(model: str, labels: tuple[str, ...]) -> str:
    """Make the page to try a model.

    model (str): What the model is called.
    labels (tuple[str, ...]): What it finds.
    RETURNS (str): HTML.
    """
    shown = _fill("body.html", model=model, labels=", ".join(labels))
    css, script = _read("app.css"), LINES_JS + _read("app.js")
    return render_page("Discontinuous entities", shown, css, script, "connect-src 'self'")


def render_docs(model: str) -> str:
    """Make the page that documents the API.

    model (str): What the model is called.
    RETURNS (str): HTML.
    """
    shown = _fill("docs.html", model=model)
    return render_page("Discontinuous entities for programs", shown, _read("app.css"))


def _read(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _fill(name: str, **values: str) -> Markup:
    return Markup(TEMPLATES.from_string(_read(name)).render(**values))
