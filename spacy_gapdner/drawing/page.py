"""Make self-contained HTML pages, which load no external resources."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

_STATIC = Path(__file__).parent / "static"
# Templates escape all values except Markup.
TEMPLATES = Environment(
    loader=FileSystemLoader(_STATIC), autoescape=True, trim_blocks=True, lstrip_blocks=True
)


def read_static(name: str, folder: Path = _STATIC) -> str:
    """A CSS, JavaScript or HTML file of the pages."""
    return (folder / name).read_text(encoding="utf-8")


PAGE_CSS = read_static("page.css")
# Arranges entities and their labels after line breaks.
LINES_JS = read_static("lines.js") + read_static("page.js")
# Adds search, filters and paging for elements of the class "unit" in elements of the class "doc".
SEARCH_JS = LINES_JS + read_static("search.js")


def render_page(title: str, body: Markup, css: str = "", script: str = "", policy: str = "") -> str:
    """Create a self-contained HTML page. Text from data in the body has to be escaped, such as by
    `TEMPLATES`. Only the given script can run. `policy` extends the Content-Security-Policy."""
    if script:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy = f"; script-src 'sha256-{digest}'; {policy}"
    shown = {"css": Markup(PAGE_CSS + css), "script": Markup(script), "policy": Markup(policy)}
    return TEMPLATES.get_template("page.html").render(title=title, body=body, **shown)
