"""Self-contained HTML pages, which load no external resources."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

# Templates escape all values except Markup.
TEMPLATES = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)

# Plots are drawn for light mode. In dark mode, their lightness is inverted, but not their hues.
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
# Repeats the type of an entity that continues on another line.
LINES_JS = (_STATIC / "lines.js").read_text(encoding="utf-8")
# Adds search, filters and paging for elements of the class "unit" in elements of the class "doc".
SEARCH_JS = LINES_JS + (_STATIC / "search.js").read_text(encoding="utf-8")
_SEARCH_CSS = """
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
    """Create a self-contained HTML page.

    title (str): Title and heading.
    body (Markup): HTML. Text from data has to be escaped, for example with `TEMPLATES`.
    css (str): Additional CSS.
    script (str): JavaScript of the page, such as `SEARCH_JS`. Other scripts cannot run.
    policy (str): Additional directives of the Content-Security-Policy.
    RETURNS (str): The page.
    """
    if script:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy = f"; script-src 'sha256-{digest}'; {policy}"
    css = PAGE_CSS + (_SEARCH_CSS if script == SEARCH_JS else "") + css
    shown = {"css": Markup(css), "script": Markup(script), "policy": Markup(policy)}
    return _PAGE.render(title=title, body=body, **shown)


def render_table(head: Sequence[str], rows: Iterable[Sequence[object]], n_text: int = 1) -> Markup:
    """RETURNS (Markup): A table. The first `n_text` columns are text, the others numbers."""
    return Markup(_TABLE.render(head=head, rows=rows, n_text=n_text))
