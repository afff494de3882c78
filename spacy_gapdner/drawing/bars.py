"""Draw entities as labeled bars under the words of a sentence: solid under fragments, dotted under
gaps.

Each word is a column with the bars under it. Lines break between columns, so that long sentences
need no scrolling. The script of the page moves the bars of each line up to its words. Bars are
borders, because browsers do not print backgrounds.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from unicodedata import bidirectional

from markupsafe import Markup

from ..entities import Entity
from .page import TEMPLATES, read_static

# maximum number of rows under a word
_MOST_ROWS = 40
# longer texts without spaces, such as Chinese sentences, can break anywhere
_LONGEST_WORD = 40
# minimum number of characters between two labels, and the longest label of the style sheet
_MARGIN = 2
_LONGEST_LABEL = 64

_DIRECTIONS = {"L": "ltr", "R": "rtl", "AL": "rtl"}

# does not use the colors of the page, because it is also used in notebooks
ENTITIES_CSS = read_static("entities.css")
# symbols for predictions, and for gold entities that are missed or predicted differently
MARKS = {"correct": "✓", "incorrect": "✗", "differs": "≠", "missed": "○", "spurious": "+"}
# symbols for the comparison of two annotators
EQUAL_MARKS = {"same": "✓", "differs": "≠", "unmatched": "○"}


class Bar(NamedTuple):
    """An entity to draw. Its fragments are indices of words, or of characters for the terminal."""

    entity: Entity
    # a CSS color
    color: str = ""
    # the result of a comparison: one of `MARKS` or `EQUAL_MARKS`, another word, or empty
    mark: str = ""
    # what is different, such as "type"
    reason: str = ""
    # for entities that are only shown for comparison
    is_thin: bool = False
    # other values for the script of the page
    data: Mapping[str, str] = {}

    @property
    def name(self) -> str:
        """The mark, the type and the score."""
        score = "" if self.entity.score is None else f"{self.entity.score:.2f}"
        is_clear = self.mark in ("correct", "same") or (self.reason and self.mark != "gold")
        word = "" if is_clear else self.mark
        parts = ((MARKS | EQUAL_MARKS).get(self.mark, ""), word, self.entity.label, score)
        return " ".join(part for part in parts if part)

    @property
    def label(self) -> str:
        """The text next to the bar."""
        return f"{self.name}, {self.reason}" if self.reason else self.name


# the part of a bar under a word: its kind, bar and number; the first part has a title
_Cell = dict[str, Any]
# a word and the cells under it, by row
_Column = tuple[str, dict[int, _Cell]]


def render_entities(words: Sequence[str], bars: Sequence[Bar]) -> Markup:
    """Draw entities under the words of a sentence, each in the first free row. Words include their
    trailing whitespace. Returns HTML for a page with `ENTITIES_CSS`."""
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
        for i, cell in _cells(words, bar, number).items():
            under[i][row] = cell
    directions = _directions(words)
    columns = zip(directions, zip(words, under, strict=True), strict=True)
    runs = [
        (direction, _join([column for _, column in run]))
        for direction, run in groupby(columns, key=lambda pair: pair[0])
    ]
    direction = next(iter(directions), "ltr")
    template = TEMPLATES.get_template("entities.html")
    return Markup(template.render(runs=runs, direction=direction, n_hidden=n_hidden))


def _end(words: Sequence[str], bar: Bar) -> int:
    # the label may be longer than the entity
    end, room = bar.entity.start, -min(len(bar.label), _LONGEST_LABEL) - _MARGIN
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
    joined = []
    for part in parts:
        words, under = zip(*part, strict=True)
        is_short = len("".join(words)) <= _LONGEST_WORD
        joined.append((len(words) > 1 and any(under) and is_short, part))
    return joined


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


def _cells(words: Sequence[str], bar: Bar, number: int) -> dict[int, _Cell]:
    first, thin = bar.entity.start, " thin" if bar.is_thin else ""
    kinds = dict.fromkeys(range(first, bar.entity.end), "gap")
    for start, end in bar.entity.fragments:
        kinds |= dict.fromkeys(range(start, end), "fragment")
        kinds[end - 1] = "fragment last"
    cells = {i: {"kind": kind + thin, "bar": bar, "number": number} for i, kind in kinds.items()}
    text = " … ".join("".join(words[start:end]).strip() for start, end in bar.entity.fragments)
    prefix = "correct: " if bar.mark == "correct" else ""
    suffix = f" ({bar.reason})" if bar.reason else ""
    cells[first]["title"] = f"{prefix}{bar.name}: {text}{suffix}"
    return cells
