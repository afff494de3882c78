"""Entities under the words of their sentence: fragments as bars, gaps as dots, a row for each.

Every word is a column that may move to the next line together with the bars under it, so that long
sentences need no scrolling. Bars are borders, which browsers print.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..entities import Entity
from .page import TEMPLATES

# words times entities: browsers and memory take no more, and nobody could read it
_MOST_BARS = 200_000

# colours that remain apart for the colour-blind; a gap differs from a fragment by its shape
ENTITIES_CSS = """
.entities { margin: 0.3rem 0 1.1rem; overflow-wrap: anywhere; }
.entities .word { display: inline-block; vertical-align: top; margin-bottom: 0.4rem;
  white-space: break-spaces; min-width: 0.4rem; max-width: 100%; }
.entities i { display: block; height: 0; margin-top: 3px; border-top: 4px solid transparent; }
.entities i.fragment { border-top-color: currentColor; }
.entities i.last { margin-inline-end: 0.3rem; }
.entities i.gap { border-top: 4px dotted currentColor; opacity: 0.55; }
.entities ul { list-style: none; margin: 0; padding: 0; font-size: 0.87rem; }
.entities li i { display: inline-block; width: 1.6rem; margin: 0 0 0.2rem;
  margin-inline-end: 0.45rem; }
.entities li b { font-weight: 600; unicode-bidi: isolate; }
.entities .gold { color: #0072b2; } .entities .predicted { color: #d55e00; }
.entities .correct { color: #00795a; } .entities .faint { opacity: 0.45; }
.entities li span { color: #1f2430; }
"""

_ENTITIES = TEMPLATES.from_string("""\
<div class="entities"><div>
{%- for word, cells in columns -%}
<span class="word">{{ word }}{% for cell in cells -%}
<i class="{{ cell }}"{% if cell and rows[loop.index0].colour %} style="color: \
{{ rows[loop.index0].colour }}" title="{{ rows[loop.index0].hint|truncate(200) }}"{% endif %}></i>
{%- endfor %}</span>
{%- endfor -%}
</div>
{% if is_crowded %}
<p>{{ rows|length }} entities are too many to be drawn under {{ columns|length }} words.</p>
{% endif %}
<ul>
{% for row in rows %}
<li class="{{ row.role }}{{ " faint" if row.is_faint }}"><i class="fragment"\
{% if row.colour %} style="color: {{ row.colour }}"{% endif %}></i>
<b>{{ row.name }}</b> <span>{{ row.text }}{% if row.score %} ({{ row.score }}){% endif %}\
</span></li>
{% endfor %}
</ul></div>
""")


class EntityRow(NamedTuple):
    """An entity to be drawn.

    role (str): "gold", "predicted" or "correct": its colour, and a word in the list below; empty
        where it has a colour of its own.
    entity (Entity): Its type, and its tokens as indices of the words.
    text (str): Its text for the list below.
    is_faint (bool): Whether it is there for comparison only.
    colour (str): Its colour as CSS has it; that of the role if empty.
    score (str): Its score for the list below.
    """

    role: str
    entity: Entity
    text: str
    is_faint: bool = False
    colour: str = ""
    score: str = ""

    @property
    def name(self) -> str:
        """RETURNS (str): Role and type, for the list below."""
        return f"{self.role} {self.entity.label}".strip()

    @property
    def hint(self) -> str:
        """RETURNS (str): What shows while the pointer is over its bar."""
        return f"{self.name}: {self.text}" + (f" ({self.score})" if self.score else "")


def render_entities(words: Sequence[str], rows: Sequence[EntityRow]) -> Markup:
    """Draw entities under the words of a sentence, and list them below; so many that their bars
    would fill the memory are only listed.

    words (Sequence[str]): The sentence's tokens, each with the space that follows it.
    rows (Sequence[EntityRow]): The entities, from top to bottom.
    RETURNS (Markup): HTML that needs the rules `ENTITIES_CSS`.
    """
    is_crowded = len(words) * len(rows) > _MOST_BARS
    cells = [] if is_crowded else [_cells(row, len(words)) for row in rows]
    columns = [(word, [row[i] for row in cells]) for i, word in enumerate(words)]
    return Markup(_ENTITIES.render(columns=columns, rows=rows, is_crowded=is_crowded))


def _cells(row: EntityRow, n_words: int) -> list[str]:
    style = f"{row.role} faint" if row.is_faint else row.role
    cells = [""] * n_words
    for start, end in row.entity.fragments:
        cells[start:end] = [f"fragment {style}"] * (end - start)
        cells[end - 1] += " last"
    for start, end in row.entity.gaps:
        cells[start:end] = [f"gap {style}"] * (end - start)
    return cells
