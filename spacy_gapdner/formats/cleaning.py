"""Normalize the character offsets of entities in files."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..entities import Fragments
from ..errors import GapDNERError
from .files import BOM
from .records import TextEntity
from .report import SURFACE, Place, Report

# what offsets can count, in the order in which they are tried, and their names in reports
UNITS = {"characters": "characters", "utf-16": "UTF-16", "bytes": "bytes", "graphemes": "graphemes"}
_GAP = r"(?:\s*(?:\[\s*(?:\.{2,}|…)\s*\]|\.{3}|…)\s*|\s+)"


def clean_entities(
    text: str, entities: Iterable[TextEntity], report: Report
) -> tuple[TextEntity, ...]:
    """RETURNS (tuple[TextEntity, ...]): The unique entities of a text with normalized fragments."""
    cleaned: dict[tuple[str, Fragments], TextEntity] = {}
    given = list(entities)
    for entity in given:
        fragments = clean_fragments(text, entity, report)
        if not fragments:
            continue
        if not surface_fits(text, entity):
            there = " ".join(text[start:end] for start, end in fragments)
            message = f"{_name(entity)} is {entity.surface!r}, but its offsets give {there!r}"
            report.add("kept", SURFACE, message, entity.place, entity.fragments)
        other = cleaned.setdefault((entity.label, fragments), entity)
        if other is not entity:
            lost = ", with other attributes" if entity.attrs not in ({}, other.attrs) else ""
            message = f"{_name(entity)} repeats {_name(other)}{lost}"
            report.add("dropped", "duplicate entity", message, entity.place, fragments)
    # the others are counted when they are aligned
    report.entities += len(given) - len(cleaned)
    return tuple(replace(entity, fragments=f) for (_, f), entity in cleaned.items())


def clean_fragments(text: str, entity: TextEntity, report: Report) -> Fragments:
    """RETURNS (tuple[tuple[int, int], ...]): The fragments of an entity, sorted, stripped of
    whitespace, and joined if they overlap or have only whitespace between them, because annotation
    tools split entities at line ends. Empty if they are invalid.
    """
    name, given = _name(entity), (entity.place, entity.fragments)
    cleaned: list[tuple[int, int]] = []
    for start, end in sorted(entity.fragments):
        if not 0 <= start < end <= len(text):
            message = f"{name} at {start}-{end} of {len(text)} characters"
            report.add("dropped", "invalid offsets", message, *given)
            return ()
        piece = text[start:end]
        start, end = end - len(piece.lstrip()), start + len(piece.rstrip())
        if cleaned and not text[cleaned[-1][1] : start].strip():
            cleaned[-1] = cleaned[-1][0], max(cleaned[-1][1], end)
        elif start < end:
            cleaned.append((start, end))
    fragments = tuple(cleaned)
    if not fragments:
        message = f"{name} covers only whitespace at {entity.fragments}"
        report.add("dropped", "only whitespace", message, *given)
    elif fragments != entity.fragments:
        message = f"{name} {entity.fragments} -> {fragments}"
        report.add("repaired", "fragments normalized", message, *given)
    return fragments


def choose_text(text: str, entities: Sequence[TextEntity], report: Report, place: Place) -> str:
    r"""RETURNS (str): The text that agrees with most surface texts. Offsets can count ``\r\n`` as
    two characters or one, a byte order mark as one or none, and an emoji as one or, in UTF-16, two.
    """
    # on a tie the first
    plain = text.removeprefix(BOM)
    texts = dict.fromkeys([plain, plain.replace("\r\n", "\n"), text, text.replace("\r\n", "\n")])
    fits = {t: _count_fits(t, entities) for t in texts}
    order = list(UNITS)
    chosen = max(texts, key=lambda t: (fits[t][0], -order.index(fits[t][1])))
    if "\r\n" in text and "\r\n" not in chosen:
        message = f"offsets count CRLF as one character ({fits[chosen][0]} surface texts match)"
        report.add("repaired", "line endings CRLF -> LF", message, place)
    return chosen


def convert_offsets(
    text: str,
    entities: Sequence[TextEntity],
    report: Report,
    place: Place,
    units: str | None = None,
) -> Sequence[TextEntity]:
    """Convert offsets from UTF-16 code units, two for an emoji, as in browsers, from bytes of UTF-8
    or from graphemes to characters. Without units, uses the units that match most surface texts.
    """
    if units not in (None, *UNITS):
        raise GapDNERError(f"Invalid offsets: {units!r}. Use {', '.join(UNITS)}.")
    if units == "characters" or not entities or not _units_differ(text):
        return entities
    if max(text) > "\uffff" and not any((entity.surface or "").strip() for entity in entities):
        message = f"characters beyond the BMP, and offsets count {units or 'characters'}"
        report.add("kept", "offsets without surface texts to check them", message, place)
    if units is None:
        n_fits, units = _count_fits(text, entities)
        if units != "characters":
            message = f"offsets count in {UNITS[units]} ({n_fits} surface texts match)"
            report.add("repaired", f"offsets in {UNITS[units]}", message, place)
    return count_in(text, entities, units)


def _units_differ(text: str) -> bool:
    return not text.isascii() or "\r\n" in text


def _count_fits(text: str, entities: Sequence[TextEntity]) -> tuple[int, str]:
    # the largest number of matching surface texts, and the units in which they match
    best = 0, "characters"
    for units in UNITS if _units_differ(text) else ("characters",):
        fits = count_surfaces(text, count_in(text, entities, units))
        if fits > best[0]:
            best = fits, units
        if fits == len(entities):
            break
    return best


def count_surfaces(text: str, entities: Iterable[TextEntity]) -> int:
    """RETURNS (int): The number of entities whose surface texts are empty or match the offsets."""
    return sum(surface_fits(text, entity) for entity in entities)


def count_misplaced(text: str, entities: Iterable[TextEntity]) -> int:
    """RETURNS (int): The number of boundaries inside a word, next to whitespace in the entity, or
    outside the text. They show that offsets count something else.
    """
    number = 0
    for start, end in (fragment for entity in entities for fragment in entity.fragments):
        if not 0 <= start < end <= len(text):
            number += 2
            continue
        number += text[start].isspace() + text[end - 1].isspace()
        for i in (start, end):
            # letters, numbers and marks, such as vowel signs
            kinds = [unicodedata.category(char)[0] for char in text[max(i - 1, 0) : i + 1]]
            number += 0 < i < len(text) and set(kinds) <= {"L", "N", "M"}
    return number


def count_in(text: str, entities: Sequence[TextEntity], units: str) -> Sequence[TextEntity]:
    """RETURNS (Sequence[TextEntity]): The entities with character offsets instead of `UNITS`."""
    if units == "characters" or not _units_differ(text):
        return entities
    starts = [*_starts(text, units), len(text)]

    def convert(offset: int) -> int:
        # offsets outside the text stay invalid
        return starts[offset] if 0 <= offset < len(starts) else offset + len(text) * (offset > 0)

    return [
        replace(e, fragments=tuple((convert(a), convert(b)) for a, b in e.fragments))
        for e in entities
    ]


def _starts(text: str, units: str) -> list[int]:
    # the character of each unit
    if units == "utf-16":
        return [i for i, char in enumerate(text) for _ in range(1 + (char > "\uffff"))]
    if units == "bytes":
        sizes = ((c > "\x7f") + (c > "\u07ff") + (c > "\uffff") + 1 for c in text)
        return [i for i, size in enumerate(sizes) for _ in range(size)]
    # a dependency of transformers
    import regex

    return [match.start() for match in regex.finditer(r"\X", text)]


def surface_fits(text: str, entity: TextEntity) -> bool:
    """RETURNS (bool): Whether the surface text is empty, or equals the text of the fragments."""
    if not entity.surface or entity.surface.isspace():
        return True
    if any(start < 0 or end > len(text) for start, end in entity.fragments):
        return False
    surface = " ".join(entity.surface.split())
    for fragments in (entity.fragments, sorted(entity.fragments)):
        pieces = [" ".join(text[start:end].split()) for start, end in fragments]
        # tools can write a gap as "...", "…" or "[...]"
        if " ".join(filter(None, pieces)) == surface or (
            ("…" in surface or ".." in surface)
            and re.fullmatch(_GAP.join(map(re.escape, pieces)), surface)
        ):
            return True
    return False


def _name(entity: TextEntity) -> str:
    return f"{entity.label} {entity.id}" if entity.id else entity.label
