"""Normalizing the character offsets of entities in files."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..entities import Fragments
from ..errors import GapDNERError
from .files import BOM
from .records import TextEntity
from .report import Action, Place, Report

_UNITS = ("characters", "utf-16", "graphemes")


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
            report.add("kept", "surface text differs", message, entity.place, entity.fragments)
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

    def note(action: Action, kind: str, message: str) -> None:
        report.add(action, kind, f"{_name(entity)} {message}", entity.place, entity.fragments)

    cleaned: list[tuple[int, int]] = []
    for start, end in sorted(entity.fragments):
        if not 0 <= start < end <= len(text):
            note("dropped", "invalid offsets", f"at {start}-{end} of {len(text)} characters")
            return ()
        piece = text[start:end]
        start, end = end - len(piece.lstrip()), start + len(piece.rstrip())
        if cleaned and not text[cleaned[-1][1] : start].strip():
            cleaned[-1] = cleaned[-1][0], max(cleaned[-1][1], end)
        elif start < end:
            cleaned.append((start, end))
    fragments = tuple(cleaned)
    if not fragments:
        note("dropped", "only whitespace", f"covers only whitespace at {entity.fragments}")
    elif fragments != entity.fragments:
        note("repaired", "fragments normalized", f"{entity.fragments} -> {fragments}")
    return fragments


def choose_text(text: str, entities: Sequence[TextEntity], report: Report, place: Place) -> str:
    r"""RETURNS (str): The text that agrees with most surface texts. Offsets can count ``\r\n`` as
    two characters or one, a byte order mark as one or none, and an emoji as one or, in UTF-16, two.
    """
    # on a tie the first
    plain = text.removeprefix(BOM)
    texts = dict.fromkeys([plain, plain.replace("\r\n", "\n"), text, text.replace("\r\n", "\n")])
    fits = {t: _count_fits(t, entities) for t in texts}
    chosen = max(texts, key=fits.__getitem__)
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
    """Convert offsets from graphemes or UTF-16 code units, two for an emoji, as in browsers, to
    characters. Without units, uses characters or UTF-16, whichever matches more surface texts.
    """
    if units not in (None, *_UNITS):
        raise GapDNERError(f"Invalid offsets: {units!r}. Use {', '.join(_UNITS)}.")
    is_beyond = max(text, default="") > "\uffff"
    if units == "characters" or not entities or not (is_beyond or units == "graphemes"):
        return entities
    if is_beyond and not any((entity.surface or "").strip() for entity in entities):
        message = f"the text has characters beyond the BMP, and offsets count {units or _UNITS[0]}"
        report.add("kept", "offsets without surface texts to check them", message, place)
    if units is not None:
        return _count_in(text, entities, units)
    n_fits, in_characters = _count_fits(text, entities)
    if in_characters:
        return entities
    message = f"offsets count in UTF-16 ({n_fits} surface texts match)"
    report.add("repaired", "offsets in UTF-16", message, place)
    return _count_in(text, entities, "utf-16")


def _count_fits(text: str, entities: Sequence[TextEntity]) -> tuple[int, bool]:
    # the number of matching surface texts, and whether they match in characters or in UTF-16
    fits = sum(surface_fits(text, entity) for entity in entities), True
    if max(text, default="") <= "\uffff":
        return fits
    found = _count_in(text, entities, "utf-16")
    return max(fits, (sum(surface_fits(text, entity) for entity in found), False))


def _count_in(text: str, entities: Sequence[TextEntity], units: str) -> list[TextEntity]:
    if units == "utf-16":
        starts = [i for i, char in enumerate(text) for _ in range(1 + (char > "\uffff"))]
    else:
        try:
            import regex
        except ImportError:
            raise GapDNERError("Offsets in graphemes need regex: pip install regex.") from None
        starts = [match.start() for match in regex.finditer(r"\X", text)]
    # offsets outside the text stay invalid
    offsets = dict(enumerate([*starts, len(text)]))
    return [
        replace(e, fragments=tuple((offsets.get(a, a), offsets.get(b, b)) for a, b in e.fragments))
        for e in entities
    ]


def surface_fits(text: str, entity: TextEntity) -> bool:
    """RETURNS (bool): Whether the surface text is empty, or equals the text of the fragments."""
    if not entity.surface or entity.surface.isspace():
        return True
    if any(end > len(text) for _, end in entity.fragments):
        return False
    for fragments in (entity.fragments, sorted(entity.fragments)):
        # negative offsets would count from the end
        pieces = [text[max(start, 0) : max(end, 0)] for start, end in fragments]
        if " ".join(pieces).split() == entity.surface.split():
            return True
    return False


def _name(entity: TextEntity) -> str:
    return f"{entity.label} {entity.id}" if entity.id else entity.label
