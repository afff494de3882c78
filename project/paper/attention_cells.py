"""The cells of a label grid that a user chooses, by text, by token range, or by row and column."""

import re
from collections.abc import Iterable, Sequence

from spacy.tokens import Doc

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer
from spacy_gapdner.segments import Segment


def choose_cells(
    doc: Doc, pipe: DiscontinuousEntityRecognizer, spans: Iterable[str], cells: Iterable[str]
) -> list[tuple[int, int]]:
    """Find the chosen cells, or else those of all entities found.

    doc (Doc): The text with its entities.
    pipe (DiscontinuousEntityRecognizer): The pipe that found them.
    spans (Iterable[str]): Token ranges "START:END", half-open, or texts that occur once.
    cells (Iterable[str]): "ROW,COLUMN" each, token offsets.
    RETURNS (list[tuple[int, int]]): Rows and columns, without duplicates.
    RAISES (GapDNERError): If one cannot be found, or there are none.
    """
    chosen = []
    for span in spans:
        match = re.fullmatch(r"\s*(\d+):(\d+)\s*", span)
        start, end = map(int, match.groups()) if match else _find_text(doc, span.strip())
        _check_range(doc, span, start, end)
        chosen.append((start, end - 1))
    for cell in cells:
        match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", cell)
        if not match:
            raise GapDNERError(f"Invalid cell {cell!r}. Use token offsets ROW,COLUMN, e.g. 3,5.")
        row, column = map(int, match.groups())
        _check_range(doc, cell, min(row, column), max(row, column) + 1)
        chosen.append((row, column))
    if not chosen:
        for entity in get_entities(doc, pipe.key):
            encoded = pipe.tagging.encode([entity.to_entity()], pipe.labels).tolist()
            # fragments and gaps in text order, then the type
            encoded.sort(key=lambda cell: (cell[0] > cell[1], cell))
            chosen += [(row, column) for row, column, _ in encoded]
    if not chosen:
        raise GapDNERError("The model finds no entity in the text. Use --span or --cell.")
    return list(dict.fromkeys(chosen))


def find_segment(cell: tuple[int, int], segments: Sequence[Segment]) -> Segment:
    """RETURNS (Segment): The segment that has a cell with most context on both sides; a
    GapDNERError if no segment has both tokens.
    """
    first, last = sorted(cell)
    having = [s for s in segments if s.start <= first and last < s.end]
    if not having:
        parts = ", ".join(f"{s}:{e}" for s, e in segments if s <= last and first < e)
        raise GapDNERError(
            f"Tokens {first} and {last} are in no common grid: the model reads the segments "
            f"{parts} separately. Choose a span within one of them."
        )
    return max(having, key=lambda s: min(first - s.start, s.end - 1 - last))


def _find_text(doc: Doc, text: str) -> tuple[int, int]:
    # a lookahead, because occurrences may overlap
    starts = [m.start() for m in re.finditer(f"(?={re.escape(text)})", doc.text)] if text else []
    if not starts:
        raise GapDNERError(f"The text does not contain {text!r}. The case of letters matters.")
    spans = [s for start in starts if (s := doc.char_span(start, start + len(text)))]
    if not spans:
        tokens = " | ".join(token.text for token in doc if not token.is_space)
        raise GapDNERError(f"{text!r} does not match whole tokens. The tokens are {tokens}")
    if len(spans) > 1:
        places = ", ".join(f"{s.start}:{s.end}" for s in spans)
        raise GapDNERError(f"{text!r} occurs {len(spans)} times. Use one of {places} instead.")
    return spans[0].start, spans[0].end


def _check_range(doc: Doc, choice: str, start: int, end: int) -> None:
    if not start < end <= len(doc):
        raise GapDNERError(f"Invalid tokens {choice}. The text has tokens 0 to {len(doc) - 1}.")
