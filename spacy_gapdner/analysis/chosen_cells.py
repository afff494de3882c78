"""The cells of label grids that a user chooses, by text, by token range, or by row and column."""

import re
from collections.abc import Iterable, Sequence

from spacy.tokens import Doc

from ..entities import get_entities
from ..errors import GapDNERError
from ..pipe import DiscontinuousEntityRecognizer
from ..segments import Segment

# Row and column in the Doc's token offsets.
Cell = tuple[int, int]


def choose_cells(
    doc: Doc, pipe: DiscontinuousEntityRecognizer, spans: Iterable[str], cells: Iterable[str]
) -> list[Cell]:
    """Find the cells that are asked for, or else those of all entities found.

    doc (Doc): The text with its entities.
    pipe (DiscontinuousEntityRecognizer): The pipe that found them.
    spans (Iterable[str]): Token ranges "START:END", half-open, or texts that occur once.
    cells (Iterable[str]): "ROW,COLUMN" each, token offsets.
    RETURNS (list[tuple[int, int]]): Rows and columns, each once.
    RAISES (GapDNERError): If one cannot be found, or there are none.
    """
    chosen = [_span_cell(doc, span) for span in spans]
    chosen += [_parse_cell(doc, cell) for cell in cells]
    if not chosen:
        for entity in get_entities(doc, pipe.key):
            spelled = pipe.tagging.encode([entity.to_entity()], pipe.labels).tolist()
            # the fragments and gaps in text order, then the type
            spelled.sort(key=lambda cell: (cell[0] > cell[1], cell))
            chosen += [(row, column) for row, column, _ in spelled]
    if not chosen:
        raise GapDNERError(
            "The model finds no entity in the text. Choose what to look at with --span or --cell."
        )
    return list(dict.fromkeys(chosen))


def _span_cell(doc: Doc, span: str) -> Cell:
    match = re.fullmatch(r"\s*(\d+):(\d+)\s*", span)
    start, end = map(int, match.groups()) if match else _find_text(doc, span)
    _check_range(doc, span, start, end)
    return start, end - 1


def _parse_cell(doc: Doc, cell: str) -> Cell:
    match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", cell)
    if not match:
        raise GapDNERError(f"A cell is ROW,COLUMN in token offsets, e.g. 3,5, but not {cell!r}.")
    row, column = map(int, match.groups())
    _check_range(doc, cell, min(row, column), max(row, column) + 1)
    return row, column


def find_segment(cell: Cell, segments: Sequence[Segment]) -> int:
    """RETURNS (int): The number of the segment that sees a cell with most context on both sides; a
    GapDNERError if none holds both tokens.
    """
    first, last = sorted(cell)
    held = {
        i: min(first - start, end - 1 - last)
        for i, (start, end) in enumerate(segments)
        if start <= first and last < end
    }
    if not held:
        touched = [f"{s}:{e}" for s, e in segments if s <= last and first < e]
        raise GapDNERError(
            f"Tokens {first} and {last} never stand in one grid: the model reads the text in the "
            f"parts (sentences or windows) {', '.join(touched)}. Choose a span within one of them."
        )
    return max(held, key=held.__getitem__)


def _find_text(doc: Doc, span: str) -> tuple[int, int]:
    text = span.strip()
    # looked ahead for, as occurrences may overlap
    starts = [m.start() for m in re.finditer(f"(?={re.escape(text)})", doc.text)] if text else []
    if not starts:
        raise GapDNERError(f"The text does not hold {span!r}. Upper and lower case count.")
    spans = [s for start in starts if (s := doc.char_span(start, start + len(text)))]
    if not spans:
        raise GapDNERError(
            f"{span!r} does not begin and end where tokens do. The tokens are "
            f"{' | '.join(token.text for token in doc if not token.is_space)}"
        )
    if len(spans) > 1:
        places = ", ".join(f"{s.start}:{s.end}" for s in spans)
        raise GapDNERError(
            f"{span!r} occurs {len(spans)} times, as tokens {places}. Choose one of these instead "
            "of the text."
        )
    return spans[0].start, spans[0].end


def _check_range(doc: Doc, choice: str, start: int, end: int) -> None:
    if not start < end <= len(doc):
        raise GapDNERError(
            f"There are no tokens {choice}: the text has tokens 0 to {len(doc) - 1}, and a range "
            "START:END ends before END."
        )
