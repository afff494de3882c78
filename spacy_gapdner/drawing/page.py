"""Self-contained HTML pages, and plots in them: nothing is loaded from elsewhere."""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment
from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Templates are given as text and escape what they are filled with, unless it is Markup.
TEMPLATES = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)

# Plots are drawn for a light page: in the dark their lightness is turned round, not their hues.
PAGE_CSS = """
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5d6675; --line: #d7dce3;
  --ground: #ffffff; --accent: #2563a8; --error: #b3300a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --soft: #98a2b3; --line: #475467; --ground: #14171d; --accent: #7ab0e8;
    --error: #f79070; }
  figure svg { filter: invert(1) hue-rotate(180deg); }
}
body { color: var(--ink); background: var(--ground); font: 15px/1.5 system-ui, sans-serif;
  margin: 2rem auto; max-width: 72rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
p.note, figcaption { color: var(--soft); font-size: 0.9rem; max-width: 60rem; }
.scroll, figure { overflow-x: auto; } figure { margin: 1rem 0; }
figure svg { max-width: max(100%, 40rem); height: auto; }
table { border-collapse: collapse; margin: 0.8rem 0; font-variant-numeric: tabular-nums;
  overflow-wrap: normal; }
th, td { padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid var(--line); }
.text { text-align: left; }
thead th { border-bottom: 2px solid var(--soft); font-weight: 600; }
details { margin: 0.5rem 0 1rem; } summary { cursor: pointer; color: var(--accent); }
@media print { figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""

_STATIC = Path(__file__).parent / "static"
# Types of entities where they go on in another line.
LINES_JS = (_STATIC / "lines.js").read_text(encoding="utf-8")
# The same, and search, filters and pages of what has the class "unit", in boxes of the class "doc".
PAGES_JS = LINES_JS + (_STATIC / "pages.js").read_text(encoding="utf-8")
_PAGES_CSS = """
.js .unit:not(.on), .js .doc:not(.on) { display: none; }
.unit { content-visibility: auto; contain-intrinsic-size: auto 4rem; }
.tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem;
  align-items: center; padding: 0.5rem 0; margin: 1rem 0; background: var(--ground);
  border-bottom: 1px solid var(--line); }
.tools input, .tools select, .tools button { font: inherit; max-width: 14rem; }
.tools input[type="number"] { width: 4.2rem; }
@media print { .tools { display: none; } }
@media (max-width: 45rem) { .tools { position: static; } }
"""

_PAGE = TEMPLATES.from_string("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; img-src data:{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>{{ css }}</style>
{% if script %}<script>{{ script }}</script>{% endif %}
</head>
<body>
<h1>{{ title }}</h1>
{{ body }}
</body>
</html>
""")

_TABLE = TEMPLATES.from_string("""\
{% macro cells(row, tag) %}
{% for value in row -%}
<{{ tag }}{% if loop.index <= n_text %} class="text"{% endif %}>{{ value }}</{{ tag }}>
{%- endfor %}
{% endmacro %}
<div class="scroll"><table>
<thead><tr>{{ cells(head, "th") }}</tr></thead>
<tbody>{% for row in rows %}<tr>{{ cells(row, "td") }}</tr>{% endfor %}</tbody>
</table></div>
""")


def render_page(title: str, body: Markup, css: str = "", script: str = "", policy: str = "") -> str:
    """Make a self-contained HTML page.

    title (str): Its title and heading.
    body (Markup): HTML; text from data must be escaped already, as `TEMPLATES` does.
    css (str): Rules beyond `PAGE_CSS`.
    script (str): JavaScript of the page, such as `PAGES_JS`; no other is let run.
    policy (str): What the page may do beyond that, as Content-Security-Policy has it.
    RETURNS (str): The page.
    """
    if script:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy = f"; script-src 'sha256-{digest}'; {policy}"
    css = PAGE_CSS + (_PAGES_CSS if script == PAGES_JS else "") + css
    shown = {"css": Markup(css), "script": Markup(script), "policy": Markup(policy)}
    return _PAGE.render(title=title, body=body, **shown)


def render_table(head: Sequence[str], rows: Iterable[Sequence[object]], n_text: int = 1) -> Markup:
    """RETURNS (Markup): A table; its first `n_text` columns hold text, the others numbers."""
    return Markup(_TABLE.render(head=head, rows=rows, n_text=n_text))


def has_plots() -> bool:
    """RETURNS (bool): Whether plots can be drawn, which takes matplotlib."""
    return find_spec("matplotlib") is not None


def check_plots() -> None:
    """Raise an ImportError if matplotlib is not installed, before any work for plots is done."""
    if not has_plots():
        raise ImportError("Plots need matplotlib: pip install 'spacy-gapdner[plots]'.")


def new_figure(width: float, height: float) -> "Figure":
    """RETURNS (Figure): An empty matplotlib figure of this size in inches; no display is needed."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def figure_bytes(figure: "Figure", format: str, *, transparent: bool = False) -> bytes:
    """RETURNS (bytes): A figure as "svg" or "png", the same for the same figure; if transparent,
    without a ground.
    """
    from matplotlib import rc_context
    from matplotlib.text import Text

    # names of types and models are no formulas, whatever stands between dollar signs
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    buffer = BytesIO()
    # ids of SVG elements are random, and the date is saved, unless told otherwise
    metadata = {"Date": None} if format == "svg" else {}
    with rc_context({"svg.hashsalt": "spacy-gapdner", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=format, metadata=metadata, dpi=144, transparent=transparent)
    return buffer.getvalue()


def inline_svg(figure: "Figure") -> Markup:
    """RETURNS (Markup): A figure as `<svg>` for HTML, without XML declaration and metadata."""
    svg = figure_bytes(figure, "svg", transparent=True).decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # ids must differ between the figures of a page
    name = sha256(svg.encode()).hexdigest()[:8]
    return Markup(re.sub(r'( id="|href="#|url\(#)', rf"\g<1>f{name}-", svg))
