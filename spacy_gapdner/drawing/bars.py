"""Entities as labeled bars under the words of a sentence: solid under fragments, dotted under gaps.

Each word is a column with the bars under it. Lines break between columns, so that long sentences
need no scrolling. Bars are borders, because browsers do not print backgrounds.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from unicodedata import bidirectional

from markupsafe import Markup

from ..entities import Entity
from .page import TEMPLATES

# maximum number of rows under a word
_MOST_ROWS = 40
# longer texts without spaces, such as Chinese sentences, can break anywhere
_LONGEST_WORD = 40
# minimum number of characters between two labels
_MARGIN = 2

_DIRECTIONS = {"L": "ltr", "R": "rtl", "AL": "rtl"}

# does not use the colors of the page, because it is also used in notebooks
ENTITIES_CSS = """
.entities { margin: 0.2rem 0 0.6rem; overflow-wrap: anywhere; overflow-x: clip;
  padding-inline-end: 2.5rem; position: relative; }
.entities .word, .entities .joined { display: inline-block; vertical-align: top;
  white-space: break-spaces; min-width: 0.4rem; max-width: 100%; }
.entities > span[dir] { margin: 0 0.25rem; }
.entities i { display: block; height: 1.05rem; margin-top: 2px; font-style: normal;
  border-top: 4px solid transparent; box-sizing: border-box; }
.entities i.gap { border-top: 3px dotted; }
.entities i.thin { border-top-width: 1px; }
.entities i.last { margin-inline-end: 0.3rem; }
.entities i.off { opacity: 0.2; }
.entities i[data-label]::after { content: attr(data-label); position: absolute; overflow: hidden;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; word-break: break-all;
  white-space: normal; max-width: 14rem; unicode-bidi: plaintext;
  font: bold 0.7rem/0.85rem system-ui, sans-serif; }
.entities i[data-again]::after { content: attr(data-again); position: absolute;
  max-width: var(--room); overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  opacity: 0.7; font: 0.7rem/0.85rem system-ui, sans-serif; }
.doc { margin: 0 0 1.6rem; } .doc h2 { font-size: 1rem; margin: 0 0 0.2rem; }
.legend { padding: 0; margin: 0 0 1rem; list-style: none; overflow-wrap: anywhere; }
.legend li { display: inline-block; margin-inline-end: 1.2rem; font-weight: 600; }
.legend i { display: inline-block; width: 1.6rem; border-top: 4px solid; margin-inline-end: 0.4rem;
  vertical-align: middle; }
.sides { display: grid; grid-template-columns: 1fr 1fr; column-gap: 2rem; }
.heads, .sides > div::before { font-size: 0.8rem; opacity: 0.75; }
@media (max-width: 45rem) {
  .sides { grid-template-columns: 1fr; } .heads { display: none; }
  .sides > div::before { content: attr(data-side); }
}
@media print { .entities { break-inside: avoid; } }
"""

# symbols for entities compared with another annotation
MARKS = {"correct": "✓", "incorrect": "✗", "missed": "○", "spurious": "+"}
# symbols for the comparison of two annotators
EQUAL_MARKS = {"same": "✓", "differs": "✗", "alone": "○"}

_ENTITIES = TEMPLATES.from_string("""\
<div class="entities" dir="{{ direction }}">
{%- for run_direction, columns in runs -%}
{% if run_direction != direction %}<span dir="{{ run_direction }}">{% endif %}
{%- for is_joined, joined in columns -%}
{% if is_joined %}<span class="joined">{% endif %}
{%- for word, cells in joined if cells or not word.isspace() -%}
{%- if not cells %}{{ word }}{% else -%}
<span class="word">{{ word }}
{%- for row in range(cells|max + 1) -%}
{% if row in cells %}{% set cell = cells[row] -%}
<i class="{{ cell.kind }}" style="border-color: {{ cell.bar.color }}" data-n="{{ cell.number }}"
{%- if cell.has_label %} title="{{ cell.bar.title|truncate(200) }}" \
data-label="{{ cell.bar.label }}" \
data-type="{{ cell.bar.entity.label }}"
{%- if cell.bar.mark %} data-mark="{{ cell.bar.mark }}"{% endif %}
{%- if cell.bar.entity.score is not none %} data-score="{{ cell.bar.entity.score|round(3) }}"
{%- endif %}{% endif %}></i>
{%- else %}<i></i>{% endif %}
{%- endfor %}</span>
{%- endif -%}
{%- endfor -%}
{% if is_joined %}</span>{% endif %}
{%- endfor -%}
{% if run_direction != direction %}</span>{% endif %}
{%- endfor -%}
</div>
{% if n_hidden %}
<p>{{ n_hidden }} more overlapping entities are not shown.</p>
{% endif %}
""")


class Bar(NamedTuple):
    """An entity to draw.

    entity (Entity): The type, the score, and the tokens as indices into the words.
    text (str): The text, shown as a tooltip.
    color (str): The CSS color.
    mark (str): The result of a comparison: one of `MARKS`, another word, or empty.
    is_thin (bool): Draw a thin bar, for entities that are only shown for comparison.
    """

    entity: Entity
    text: str
    color: str
    mark: str = ""
    is_thin: bool = False

    @property
    def label(self) -> str:
        """RETURNS (str): The text under the start of the bar."""
        score = "" if self.entity.score is None else f"{self.entity.score:.2f}"
        word = "" if self.mark in ("correct", "same") else self.mark
        parts = ((MARKS | EQUAL_MARKS).get(self.mark, ""), word, self.entity.label, score)
        return " ".join(part for part in parts if part)

    @property
    def title(self) -> str:
        """RETURNS (str): The tooltip."""
        return f"{'correct: ' if self.mark == 'correct' else ''}{self.label}: {self.text}"


class _Cell(NamedTuple):
    # the part of a bar under a word
    kind: str
    bar: Bar
    number: int
    has_label: bool


# a word and the cells under it, by row
_Column = tuple[str, dict[int, _Cell]]


def render_entities(words: Sequence[str], bars: Sequence[Bar]) -> Markup:
    """Draw entities under the words of a sentence, each in the first free row.

    words (Sequence[str]): The tokens of the sentence with trailing whitespace.
    bars (Sequence[Bar]): The entities.
    RETURNS (Markup): HTML for a page with `ENTITIES_CSS`.
    """
    under: list[dict[int, _Cell]] = [{} for _ in words]
    taken: list[set[int]] = [set() for _ in words]
    n_hidden = 0
    for number, bar in enumerate(bars):
        extent = taken[bar.entity.start : _end(words, bar)]
        row = next((row for row in range(_MOST_ROWS) if all(row not in t for t in extent)), None)
        if row is None:
            n_hidden += 1
            continue
        for rows in extent:
            rows.add(row)
        for i, cell in _cells(bar, number).items():
            under[i][row] = cell
    directions = _directions(words)
    columns = zip(directions, zip(words, under, strict=True), strict=True)
    runs = [
        (direction, _join([column for _, column in run]))
        for direction, run in groupby(columns, key=lambda pair: pair[0])
    ]
    direction = next(iter(directions), "ltr")
    return Markup(_ENTITIES.render(runs=runs, direction=direction, n_hidden=n_hidden))


def _end(words: Sequence[str], bar: Bar) -> int:
    # the label may be longer than the entity
    end, room = bar.entity.start, -len(bar.label) - _MARGIN
    while end < bar.entity.end or (end < len(words) and room < 0):
        room, end = room + len(words[end]), end + 1
    return end


def _join(columns: Sequence[_Column]) -> list[tuple[bool, list[_Column]]]:
    # join words and punctuation, because lines can break between columns
    parts: list[list[_Column]] = []
    for column in columns:
        if not parts or parts[-1][-1][0][-1:].isspace():
            parts.append([])
        parts[-1].append(column)
    return [(_must_join(part), part) for part in parts]


def _must_join(part: Sequence[_Column]) -> bool:
    words, under = zip(*part, strict=True)
    return len(words) > 1 and any(under) and len("".join(words)) <= _LONGEST_WORD


def _directions(words: Sequence[str]) -> list[str]:
    # browsers reorder characters, but not columns, so English in Arabic needs its own run
    own = [
        next((_DIRECTIONS[kind] for kind in map(bidirectional, word) if kind in _DIRECTIONS), None)
        for word in words
    ]
    main = next(filter(None, own), "ltr")
    directions: list[str] = []
    before = main
    for i, direction in enumerate(own):
        # punctuation and numbers follow the words on both sides
        after = direction or next(filter(None, own[i:]), main)
        directions.append(after if direction or after == before else main)
        before = direction or before
    return directions


def _cells(bar: Bar, number: int) -> dict[int, _Cell]:
    kinds = dict.fromkeys(range(bar.entity.start, bar.entity.end), "gap")
    for start, end in bar.entity.fragments:
        kinds |= dict.fromkeys(range(start, end), "fragment")
        kinds[end - 1] = "fragment last"
    thin = " thin" if bar.is_thin else ""
    return {i: _Cell(kind + thin, bar, number, i == bar.entity.start) for i, kind in kinds.items()}
