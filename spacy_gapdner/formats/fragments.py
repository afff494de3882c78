"""Character offsets as files give them -> fragments that a text can hold."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..entities import Fragments
from .files import BOM
from .records import TextEntity
from .report import Action, Place, Report


def clean_entities(
    text: str, entities: Iterable[TextEntity], report: Report, separator: str = " "
) -> tuple[TextEntity, ...]:
    """Bring the entities of a document in order; what is repaired or dropped is reported.

    Fragments are sorted, trimmed of whitespace, and joined where they overlap, touch, or have
    only whitespace between them (annotation tools cut an entity at every line end).

    separator (str): What stands between fragments in the entities' surface texts.
    RETURNS (tuple[TextEntity, ...]): Entities as TextEntity promises them, without duplicates.
    """
    cleaned: dict[tuple[str, Fragments], TextEntity] = {}
    for entity in entities:
        fragments = clean_fragments(text, entity, report)
        if not fragments:
            continue
        if not surface_fits(text, entity, separator):
            found = _slices(text, fragments)
            message = f"{_name(entity)} is {entity.surface!r}, but its offsets give {found!r}"
            report.add("kept", "surface text differs", message, entity.place, entity.fragments)
        key = entity.label, fragments
        if key in cleaned:
            message = f"{_name(entity)} repeats {_name(cleaned[key])}"
            report.add("dropped", "duplicate entity", message, entity.place, fragments)
        else:
            cleaned[key] = replace(entity, fragments=fragments)
    return tuple(cleaned.values())


def choose_text(
    text: str, entities: Sequence[TextEntity], report: Report, place: Place, separator: str = " "
) -> str:
    r"""Find out by the surface texts how offsets count: ``\r\n`` as two characters or one, a byte
    order mark as one or as none.

    RETURNS (str): The text that most of the surface texts agree with; on a tie without the byte
        order mark, and with the line ends as they were.
    """
    plain = text.removeprefix(BOM)
    texts = dict.fromkeys([plain, plain.replace("\r\n", "\n"), text, text.replace("\r\n", "\n")])
    if len(texts) == 1:
        return text
    fits = {t: sum(surface_fits(t, e, separator) for e in entities) for t in texts}
    chosen = max(texts, key=fits.__getitem__)
    if plain != text and not chosen.startswith(BOM):
        report.add("repaired", "byte order mark", "byte order mark removed", place)
    if "\r\n" in text and "\r\n" not in chosen:
        message = f"offsets count CRLF as one character ({fits[chosen]} surface texts fit so)"
        report.add("repaired", "line ends CRLF -> LF", message, place)
    return chosen


def surface_fits(text: str, entity: TextEntity, separator: str = " ") -> bool:
    """RETURNS (bool): Whether the surface text of an entity, if it has one, is what stands at its
    offsets, whitespace aside, in the file's order of fragments or in that of the text.
    """
    if entity.surface is None:
        return True
    wanted = entity.surface.split()
    orders = (entity.fragments, tuple(sorted(entity.fragments)))
    return any(_slices(text, fragments, separator).split() == wanted for fragments in orders)


def clean_fragments(text: str, entity: TextEntity, report: Report) -> Fragments:
    """RETURNS (tuple[tuple[int, int], ...]): The fragments of an entity, see `clean_entities`;
    none if the text cannot hold them.
    """

    def note(action: Action, kind: str, message: str) -> None:
        report.add(action, kind, f"{_name(entity)} {message}", entity.place, entity.fragments)

    for start, end in entity.fragments:
        if start < 0 or end > len(text):
            note("dropped", "offsets out of range", f"at {start}-{end} of {len(text)} characters")
            return ()
        if start >= end:
            note("dropped", "fragment without length", f"begins at {start} and ends at {end}")
            return ()
    ordered = tuple(sorted(entity.fragments))
    trimmed = tuple(f for f in (_trim(text, *f) for f in ordered) if f[0] < f[1])
    if not trimmed:
        note("dropped", "only whitespace", f"covers only whitespace at {ordered}")
        return ()
    joined = _join(trimmed, lambda left, right: right <= left)
    whole = _join(joined, lambda left, right: not text[left:right].strip())
    steps = {
        "fragments out of order": (entity.fragments, ordered),
        "whitespace at a boundary": (ordered, trimmed),
        "overlapping or touching fragments": (trimmed, joined),
        "whitespace between fragments": (joined, whole),
    }
    for kind, (before, after) in steps.items():
        if before != after:
            note("repaired", kind, f"{before} -> {after}")
    return whole


def _join(fragments: Fragments, belong_together: Callable[[int, int], bool]) -> Fragments:
    joined = [fragments[0]]
    for start, end in fragments[1:]:
        last_start, last_end = joined[-1]
        if belong_together(last_end, start):
            joined[-1] = last_start, max(last_end, end)
        else:
            joined.append((start, end))
    return tuple(joined)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return end - len(piece.lstrip()), start + len(piece.rstrip())


def _slices(text: str, fragments: Fragments, separator: str = " ") -> str:
    # a negative offset would count from the end
    return separator.join(text[max(start, 0) : max(end, 0)] for start, end in fragments)


def _name(entity: TextEntity) -> str:
    return f"{entity.label} {entity.id}" if entity.id else entity.label
