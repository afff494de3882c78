"""Join the text of a BioC document, and find out what the offsets of its annotations count.

BioC's specification counts bytes from the start of the document. Tools also count characters or
UTF-16 code units, and some count from the start of the passage or sentence.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import GapDNERError
from .cleaning import UNITS, count_in, count_surfaces
from .linked_regions import Object
from .records import TextEntity
from .report import Place, Report

# characters between passages, which are filled with spaces
_LONGEST_GAP = 10_000_000
_UNITS = ("characters", "utf-16", "bytes")
# where offsets start, in the order in which they are tried
_DOCUMENT, _PASSAGE, _SENTENCE = "document", "passage", "sentence"


class Located(NamedTuple):
    """An annotation in its passage and sentence; None for annotations of the document."""

    annotation: Object
    passage: Object | None = None
    sentence: Object | None = None


class Counting(NamedTuple):
    """A document's text, the units of `UNITS` and the offsets of each annotation in these units."""

    text: str
    units: str
    offsets: list[list[tuple[int, int]]]


class _Layout(NamedTuple):
    text: str
    # the first offset in the file, and the position of each passage and sentence in the text
    base: int
    starts: dict[int, int]
    # the offset of a passage that is inside another passage, or far away
    overlap: int | None


def find_annotations(document: Object) -> Iterator[Located]:
    """YIELDS (Located): The annotations of a document, its passages and their sentences."""
    for annotation in document.get("annotations") or ():
        yield Located(annotation)
    for passage in document.get("passages") or ():
        for annotation in passage.get("annotations") or ():
            yield Located(annotation, passage)
        for sentence in passage.get("sentences") or ():
            for annotation in sentence.get("annotations") or ():
                yield Located(annotation, passage, sentence)


def choose_counting(
    document: Object, found: Sequence[Located], report: Report, place: Place
) -> Counting:
    """Choose what offsets count: the first way in which most surface texts match.

    RETURNS (Counting): The text and the offsets.
    RAISES (GapDNERError): If passages overlap, unless offsets start with each passage.
    """
    layouts = {units: _join_passages(document, units) for units in _UNITS}
    starts = [_DOCUMENT, _PASSAGE, *[_SENTENCE] * any(item.sentence for item in found)]
    surfaces = [item.annotation.get("text") for item in found]
    n_surfaces = sum(map(bool, surfaces))
    # passages can only overlap if they do not count from the start of the document
    chosen, best = None, -1
    for start, units in ((start, units) for start in starts for units in _UNITS):
        layout = layouts[units]
        offsets = [_offsets(item, layout, start) for item in found]
        given = zip(offsets, surfaces, strict=True)
        entities = [TextEntity("", tuple(pairs), surface=text) for pairs, text in given if text]
        fits = count_surfaces(layout.text, count_in(layout.text, entities, units))
        possible = layout.overlap is None if start == _DOCUMENT else fits > 0
        if possible and fits > best:
            chosen, best = (start, Counting(layout.text, units, offsets)), fits
        if best == n_surfaces:
            break
    if chosen is None:
        raise GapDNERError(
            f"{place} has passages that overlap or are far apart at offset "
            f"{layouts['characters'].overlap}. Correct the offsets."
        )
    start, counting = chosen
    if (start, counting.units) != (_DOCUMENT, "characters"):
        where = "" if start == _DOCUMENT else f" from the start of the {start}"
        name = f"{UNITS[counting.units]}{where}"
        message = f"offsets count {name} ({best} of {n_surfaces} surface texts match)"
        report.add("repaired", f"offsets in {name}", message, place)
    return counting


def _join_passages(document: Object, units: str) -> _Layout:
    passages = document.get("passages") or ()
    parts = [
        part for p in passages for part in ([p] if p.get("text") else p.get("sentences") or ())
    ]
    parts.sort(key=lambda part: int(part["offset"]))
    base = int(parts[0]["offset"]) if parts else 0
    text, length, overlap = "", 0, None
    starts: dict[int, int] = {}
    for part in parts:
        gap = int(part["offset"]) - base - length
        if not 0 <= gap <= _LONGEST_GAP:
            overlap = int(part["offset"]) if overlap is None else overlap
            gap = 1
        starts[id(part)] = length + gap
        # fill the gap with spaces and a line end
        piece = ("\n".rjust(gap) if gap else "") + (part.get("text") or "")
        text, length = text + piece, length + _size(piece, units)
    for passage in passages:
        sentences = passage.get("sentences") or ()
        first = min((starts[id(s)] for s in sentences if id(s) in starts), default=0)
        start = starts.setdefault(id(passage), first)
        for sentence in sentences:
            inside = int(sentence.get("offset") or 0) - int(passage.get("offset") or 0)
            starts.setdefault(id(sentence), start + inside)
    return _Layout(text, base, starts, overlap)


def _size(text: str, units: str) -> int:
    if units == "characters":
        return len(text)
    return len(text.encode()) if units == "bytes" else len(text.encode("utf-16-le")) // 2


def _offsets(item: Located, layout: _Layout, start: str) -> list[tuple[int, int]]:
    part = item.sentence if start == _SENTENCE and item.sentence else item.passage
    shift = -layout.base if start == _DOCUMENT or part is None else layout.starts[id(part)]
    pairs = []
    for location in item.annotation.get("locations") or ():
        first = int(location["offset"]) + shift
        pairs.append((first, first + int(location["length"])))
    return pairs
