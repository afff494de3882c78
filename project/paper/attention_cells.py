"""Selection of the cells to show."""

import re
from collections.abc import Iterable, Sequence

from spacy.tokens import Doc

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer
from spacy_gapdner.segments import Segment


def choose_cells(
    doc: Doc, pipe: DiscontinuousEntityRecognizer, spans: Iterable[str], cells: Iterable[str]
) -> list[tuple[int, int]]:
    """Find the cells of spans that occur once, and of token offsets "ROW,COLUMN". Without both,
    find those of all entities."""
    chosen = [_find_text(doc, span.strip()) for span in spans]
    for cell in cells:
        match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", cell)
        if not match:
            raise GapDNERError(f"Invalid cell: {cell!r}. Use token offsets ROW,COLUMN, e.g. 3,5.")
        row, column = map(int, match.groups())
        if max(row, column) >= len(doc):
            raise GapDNERError(f"Invalid cell: {cell}. The text has tokens 0 to {len(doc) - 1}.")
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
    """RETURNS (Segment): The segment that contains a cell, with the most context on both sides."""
    first, last = sorted(cell)
    found = [s for s in segments if s.start <= first and last < s.end]
    if not found:
        parts = ", ".join(f"{s}:{e}" for s, e in segments if s <= last and first < e)
        raise GapDNERError(
            f"Tokens {first} and {last} are not in the same grid: the model processes the segments "
            f"{parts} separately. Use a span within one of them."
        )
    return max(found, key=lambda s: min(first - s.start, s.end - 1 - last))


def _find_text(doc: Doc, text: str) -> tuple[int, int]:
    # a lookahead, because occurrences can overlap
    starts = [m.start() for m in re.finditer(f"(?={re.escape(text)})", doc.text)] if text else []
    if not starts:
        raise GapDNERError(f"The text does not contain {text!r}. The search is case-sensitive.")
    spans = [s for start in starts if (s := doc.char_span(start, start + len(text)))]
    if not spans:
        tokens = " | ".join(token.text for token in doc if not token.is_space)
        raise GapDNERError(f"{text!r} does not match whole tokens. The tokens are {tokens}")
    found = [(span.start, span.end - 1) for span in spans]
    if len(found) > 1:
        cells = " or ".join(f"--cell {start},{end}" for start, end in found)
        raise GapDNERError(f"{text!r} occurs {len(found)} times. Use {cells}.")
    return found[0]
