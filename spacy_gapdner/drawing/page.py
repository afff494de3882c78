"""Self-contained HTML pages, which load no external resources."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

_STATIC = Path(__file__).parent / "static"
# Templates escape all values except Markup.
TEMPLATES = Environment(
    loader=FileSystemLoader(_STATIC), autoescape=True, trim_blocks=True, lstrip_blocks=True
)


def read_static(name: str) -> str:
    """A CSS or JavaScript file of the pages."""
    return (_STATIC / name).read_text(encoding="utf-8")


PAGE_CSS = read_static("page.css")
# Repeats the type of an entity that continues on another line.
LINES_JS = read_static("lines.js")
# Adds search, filters and paging for elements of the class "unit" in elements of the class "doc".
SEARCH_JS = LINES_JS + read_static("search.js")


def render_page(title: str, body: Markup, css: str = "", script: str = "", policy: str = "") -> str:
    """Create a self-contained HTML page. Text from data in the body has to be escaped, for example
    with `TEMPLATES`. Only the given script can run. `policy` extends the Content-Security-Policy.
    """
    if script:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy = f"; script-src 'sha256-{digest}'; {policy}"
    css = PAGE_CSS + (read_static("search.css") if script == SEARCH_JS else "") + css
    shown = {"css": Markup(css), "script": Markup(script), "policy": Markup(policy)}
    return TEMPLATES.get_template("page.html").render(title=title, body=body, **shown)


class Shaded(NamedTuple):
    """A cell of a table with a background."""

    text: str
    # the length of the bar or the strength of the color behind the text, from 0 to 1
    share: float

    def __str__(self) -> str:
        return self.text


def render_table(head: Sequence[str], rows: Sequence[Sequence[object]], n_text: int = 1) -> Markup:
    """Create a table if there are rows. The first `n_text` columns are text, the others numbers."""
    return Markup(TEMPLATES.get_template("table.html").render(head=head, rows=rows, n_text=n_text))
