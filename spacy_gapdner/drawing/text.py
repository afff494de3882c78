"""Draw entities under the lines of a text for the terminal: fragments as bars, gaps as dots.

Every character has a width in columns. In each line, an entity is placed in the first row with
enough space for its fragments, gaps and label.
"""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, chain, pairwise

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from ..errors import visible
from .bars import Bar

_FRAGMENT, _GAP = "─", "·"
# bars with their printed labels
_Labeled = Sequence[tuple[Bar, str]]
# enough for a word and a label in half of the line
_LEAST_WIDTH = 20


def render_text(
    text: str,
    bars: Sequence[Bar],
    *,
    starts: Collection[int] = (),
    title: str | None = None,
    width: int | None = None,
) -> str:
    """Draw entities in text order under the lines of their text, which start at line breaks and at
    the character offsets `starts`. The default width is the terminal's. Colors are used if
    standard output is a terminal."""
    console = Console(width=width, legacy_windows=False, force_jupyter=False)
    columns = max(console.width, _LEAST_WIDTH)
    labeled = []
    for bar in bars:
        label = visible(bar.label)
        if cell_len(label) > columns // 2:
            label = set_cell_size(label, columns // 2 - 1) + "…"
        labeled.append((bar, label))
    breaks = {*starts, *(i + 1 for i, character in enumerate(text) if character == "\n")}
    characters = _characters(text)
    drawing = [Text(visible(title), "bold")] if title else []
    rows: list[Text] = []
    waiting = deque(labeled)
    # the bars that are not complete
    drawn: list[tuple[Bar, str]] = []
    for start, end in _wrap(characters, labeled, breaks, columns):
        while waiting and waiting[0][0].entity.start < end:
            drawn.append(waiting.popleft())
        drawn = [pair for pair in drawn if pair[0].entity.end > start]
        line = characters[start : start + len(text[start:end].rstrip())]
        drawing += [Text()] if rows and line else []
        rows = _rows(line, drawn, start, end)
        drawing += [Text("".join(line)), *rows]
    with console.capture() as capture:
        for part in drawing:
            console.print(part, soft_wrap=True)
    return capture.get()


def _characters(text: str) -> list[str]:
    # the printed form of each character; empty if it combines with the previous one
    characters: list[str] = []
    base = 0
    for i, character in enumerate(text):
        shown = " " if character.isspace() else visible(character)
        own = cell_len(shown)
        if i and (not own or cell_len(characters[base] + shown) < cell_len(characters[base]) + own):
            characters[base] += shown
            characters.append("")
        else:
            base = i
            characters.append(shown)
    return characters


def _wrap(
    characters: Sequence[str], labeled: _Labeled, breaks: Collection[int], width: int
) -> Iterator[tuple[int, int]]:
    # Lines as character offsets. They end after spaces and wide characters, or anywhere in a word
    # that is longer than a line, and have enough space for the labels of entities that end there.
    labels: dict[int, int] = {}
    for bar, label in labeled:
        labels[bar.entity.end] = max(1 + cell_len(label), labels.get(bar.entity.end, 0))
    start, column, place = 0, 0, 0
    for i, character in enumerate(characters):
        own = cell_len(character)
        needed = (0 if character == " " else own) + labels.get(i + 1, 0)
        while column + needed > width and i > start:
            end = place if place > start else i
            yield start, end
            start, column = end, cell_len("".join(characters[end:i]))
        column += own
        if character == " " or own == 2:
            place = i + 1
        if i + 1 in breaks:
            yield start, i + 1
            start, column = i + 1, 0
    if start < len(characters):
        yield start, len(characters)


def _rows(line: Sequence[str], labeled: _Labeled, start: int, end: int) -> list[Text]:
    columns = list(accumulate(map(cell_len, line), initial=0))
    rows: list[Text] = []
    for bar, label in labeled:
        # rich splits styles at spaces and ignores unknown ones, such as hsl(...)
        entity, style = bar.entity, bar.color.replace(" ", "")
        edges = [min(max(edge - start, 0), len(line)) for edge in chain(*entity.fragments)]
        begin = columns[edges[0]]
        # leave space between entities
        row = next((row for row in rows if row.cell_len < begin), None)
        if row is None:
            rows.append(row := Text())
        row.append(" " * (begin - row.cell_len))
        for number, (left, right) in enumerate(pairwise(columns[edge] for edge in edges)):
            width = right - left
            row.append(_dots(width) if number % 2 else _FRAGMENT * width, style)
        if entity.end <= end:
            row.append(f" {label}", style)
    for row in rows:
        row.rstrip()
    # rows are empty if an entity continues in an empty line
    return [row for row in rows if row]


def _dots(width: int) -> str:
    # use every other column, so that dots and bars look different in any font
    if width < 3:
        return _GAP * width
    return (f" {_GAP}" * ((width - 1) // 2)).ljust(width)
