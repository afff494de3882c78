"""Join the text of a BioC document, and find out what the offsets of its annotations count.

BioC's specification counts bytes from the start of the document. Tools also count characters or
UTF-16 code units, and some count from the start of the passage or sentence.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import GapDNERError
from .cleaning import UNITS, count_in, count_surfaces
from .linked_regions import LinkedRegions, Object
from .records import TextEntity

# characters between passages, which are filled with spaces
_LONGEST_GAP = 10_000_000
_ENCODINGS = {"characters": "utf-32-le", "utf-16": "utf-16-le", "bytes": "utf-8"}
# where offsets can start, in the order in which this is tried
_LEVELS = ("document", "passage", "sentence")

# an annotation or a part of a document, with the passage and the sentence that contain it
Located = tuple[Object, tuple[Object, ...]]


class _Layout(NamedTuple):
    text: str
    # the first offset in the file, and the position of each passage and sentence in the text
    base: int
    starts: dict[int, int]
    # the offset of a passage that is inside another passage, or far away
    overlap: int | None


def find_parts(part: Object, *parents: Object) -> Iterator[Located]:
    """YIELDS (tuple): A document, its passages and their sentences, each after the passage and the
    sentence to which it belongs.
    """
    yield part, parents
    for child in (*(part.get("passages") or ()), *(part.get("sentences") or ())):
        yield from find_parts(child, *parents, child)


def choose_counting(
    document: Object, found: Sequence[Located], regions: LinkedRegions
) -> tuple[str, str, list[list[tuple[int, int]]]]:
    """Choose what offsets count: the first way in which most surface texts match.

    RETURNS (tuple): The text, the units of `UNITS`, and the offsets of each annotation in them.
    RAISES (GapDNERError): If passages overlap, unless offsets start with each passage.
    """
    layouts = {units: _join_passages(document, units) for units in _ENCODINGS}
    surfaces = [annotation.get("text") for annotation, _ in found]
    n_surfaces = sum(map(bool, surfaces))
    n_levels = 3 if any(len(parents) > 1 for _, parents in found) else 2
    chosen, best = None, -1
    for level, units in ((level, units) for level in range(n_levels) for units in _ENCODINGS):
        layout = layouts[units]
        offsets = [_offsets(*item, layout, level) for item in found]
        given = zip(offsets, surfaces, strict=True)
        entities = [TextEntity("", tuple(pairs), surface=text) for pairs, text in given if text]
        fits = count_surfaces(layout.text, count_in(layout.text, entities, units))
        # passages can only overlap if offsets do not count from the start of the document
        is_possible = fits > 0 if level else layout.overlap is None
        if is_possible and fits > best:
            chosen, best = (level, units, offsets), fits
        if best == n_surfaces:
            break
    if chosen is None:
        raise GapDNERError(
            f"{regions.place} has passages that overlap or are far apart at offset "
            f"{layouts['characters'].overlap}. Correct the offsets."
        )
    level, units, offsets = chosen
    if level or units != "characters":
        where = f" from the start of the {_LEVELS[level]}" if level else ""
        name = f"{UNITS[units]}{where}"
        message = f"offsets count {name} ({best} of {n_surfaces} surface texts match)"
        regions.report.add("repaired", f"offsets in {name}", message, regions.place)
    return layouts[units].text, units, offsets


def _join_passages(document: Object, units: str) -> _Layout:
    passages = document.get("passages") or ()
    parts = [s for p in passages for s in ([p] if p.get("text") else p.get("sentences") or ())]
    parts.sort(key=lambda part: int(part["offset"]))
    base = int(parts[0]["offset"]) if parts else 0
    text, length, overlap = "", 0, None
    starts: dict[int, int] = {}
    width = len("a".encode(_ENCODINGS[units]))
    for part in parts:
        gap = int(part["offset"]) - base - length
        if not 0 <= gap <= _LONGEST_GAP:
            overlap = int(part["offset"]) if overlap is None else overlap
            gap = 1
        starts[id(part)] = length + gap
        piece = ("\n".rjust(gap) if gap else "") + (part.get("text") or "")
        text, length = text + piece, length + len(piece.encode(_ENCODINGS[units])) // width
    for passage in passages:
        sentences = passage.get("sentences") or ()
        first = min((starts[id(s)] for s in sentences if id(s) in starts), default=0)
        start = starts.setdefault(id(passage), first)
        for sentence in sentences:
            inside = int(sentence.get("offset") or 0) - int(passage.get("offset") or 0)
            starts.setdefault(id(sentence), start + inside)
    return _Layout(text, base, starts, overlap)


def _offsets(
    annotation: Object, parents: Sequence[Object], layout: _Layout, level: int
) -> list[tuple[int, int]]:
    within = parents[:level]
    shift = layout.starts[id(within[-1])] if within else -layout.base
    places = annotation.get("locations") or ()
    pairs = [(int(place["offset"]) + shift, int(place["length"])) for place in places]
    return [(start, start + length) for start, length in pairs]
