"""Entities under the words of their sentence: fragments as bars, gaps as dots, in as few rows as
they need, each with its label.

Every word is a column that may move to the next line together with the bars under it, so that long
sentences need no scrolling. Bars are borders, which browsers print.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from unicodedata import bidirectional

from markupsafe import Markup

from ..entities import Entity
from .page import TEMPLATES

# nobody could read more under a word
_MOST_ROWS = 40

_DIRECTIONS = {"L": "ltr", "R": "rtl", "AL": "rtl"}

# without colors of the page, as it may stand in a notebook
ENTITIES_CSS = """
.entities { margin: 0.2rem 0 0.6rem; overflow-wrap: anywhere; }
.entities .word { display: inline-block; vertical-align: top; white-space: break-spaces;
  min-width: 0.4rem; max-width: 100%; }
.entities > span[dir] { margin: 0 0.25rem; }
.entities i { display: block; height: 1.05rem; margin-top: 2px; font-style: normal;
  border-top: 4px solid transparent; box-sizing: border-box; }
.entities i.gap { border-top: 3px dotted; }
.entities i.thin { border-top-width: 1px; }
.entities i.last { margin-inline-end: 0.3rem; }
.entities b { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  max-width: 9rem; font: 0.7rem/0.85rem system-ui, sans-serif; user-select: none; }
.doc { margin: 0 0 1.6rem; } .doc h2 { font-size: 1rem; margin: 0 0 0.2rem; }
.legend { padding: 0; margin: 0 0 1rem; list-style: none; overflow-wrap: anywhere; }
.legend li { display: inline-block; margin-inline-end: 1.2rem; font-weight: 600; }
.legend i { display: inline-block; width: 1.6rem; border-top: 4px solid; margin-inline-end: 0.4rem;
  vertical-align: middle; }
.sides { display: grid; grid-template-columns: 1fr 1fr; column-gap: 2rem; }
.sides h3 { margin: 0; font-size: 0.8rem; opacity: 0.75; font-weight: 600; }
@media (max-width: 45rem) { .sides { grid-template-columns: 1fr; } }
@media print { .entities { break-inside: avoid; } }
"""

_ENTITIES = TEMPLATES.from_string("""\
<div class="entities" dir="{{ direction }}">
{%- for run_direction, columns in runs -%}
{% if run_direction != direction %}<span dir="{{ run_direction }}">{% endif %}
{%- for word, cells in columns if cells or not word.isspace() -%}
<span class="word">{{ word }}
{%- for row in range(cells|max + 1 if cells else 0) -%}
{% if row in cells %}{% set kind, bar, label = cells[row] -%}
<i class="{{ kind }}" style="border-color: {{ bar.color }}" \
title="{{ (bar.label ~ ": " ~ bar.text)|truncate(200) }}">
{%- if label %}<b dir="auto">{{ label }}</b>{% endif %}</i>
{%- else %}<i></i>{% endif %}
{%- endfor %}</span>
{%- endfor -%}
{% if run_direction != direction %}</span>{% endif %}
{%- endfor -%}
</div>
{% if n_hidden %}
<p>{{ n_hidden }} more entities lie over each other here, and are not drawn.</p>
{% endif %}
""")


class Bar(NamedTuple):
    """An entity to be drawn.

    entity (Entity): Its tokens, as indices of the words.
    label (str): What stands at it.
    text (str): Its text, which shows while the pointer is over it.
    color (str): Its color as CSS has it.
    is_thin (bool): Whether it is there for comparison only.
    """

    entity: Entity
    label: str
    text: str
    color: str
    is_thin: bool = False


# classes, entity, and its label where it stands
_Cell = tuple[str, Bar, str]


def render_entities(words: Sequence[str], bars: Sequence[Bar]) -> Markup:
    """Draw entities under the words of a sentence, each in the first row where it has room.

    words (Sequence[str]): The sentence's tokens, each with the space that follows it.
    bars (Sequence[Bar]): The entities.
    RETURNS (Markup): HTML that needs the rules `ENTITIES_CSS`.
    """
    under: list[dict[int, _Cell]] = [{} for _ in words]
    n_hidden = 0
    for bar in bars:
        extent = under[bar.entity.start : bar.entity.end]
        rows = (row for row in range(_MOST_ROWS) if not any(row in cells for cells in extent))
        row = next(rows, None)
        if row is None:
            n_hidden += 1
            continue
        for i, cell in _cells(bar, words).items():
            under[i][row] = cell
    directions = _directions(words)
    columns = zip(directions, zip(words, under, strict=True), strict=True)
    runs = [
        (direction, [column for _, column in run])
        for direction, run in groupby(columns, key=lambda pair: pair[0])
    ]
    direction = next(iter(directions), "ltr")
    return Markup(_ENTITIES.render(runs=runs, direction=direction, n_hidden=n_hidden))


def _directions(words: Sequence[str]) -> list[str]:
    # browsers order letters, but not columns: English in Arabic needs a run of its own
    own = [
        next((_DIRECTIONS[kind] for kind in map(bidirectional, word) if kind in _DIRECTIONS), None)
        for word in words
    ]
    main = next(filter(None, own), "ltr")
    directions: list[str] = []
    before = main
    for i, direction in enumerate(own):
        # marks and numbers go with the words on both sides
        after = direction or next(filter(None, own[i:]), main)
        directions.append(after if direction or after == before else main)
        before = direction or before
    return directions


def _cells(bar: Bar, words: Sequence[str]) -> dict[int, _Cell]:
    kinds = dict.fromkeys(range(bar.entity.start, bar.entity.end), "gap")
    for start, end in bar.entity.fragments:
        kinds |= dict.fromkeys(range(start, end), "fragment")
        kinds[end - 1] = "fragment last"
    # where it does not push the words apart: a letter of it has two thirds of a word's width
    n_letters = len(bar.label) * 2 // 3
    labeled = max(range(*bar.entity.fragments[0]), key=lambda i: min(len(words[i]), n_letters))
    thin = " thin" if bar.is_thin else ""
    return {i: (kind + thin, bar, bar.label * (i == labeled)) for i, kind in kinds.items()}
