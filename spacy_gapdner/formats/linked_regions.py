"""Entities from the regions and links of annotation tools, and from offsets in files.

A tool that only marks contiguous regions represents a discontinuous entity by links with the label
`FRAGMENT` from one of its regions to each of the others. Several entities can share a region that
is the end of links. All regions of an entity have its type or no type.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..entities import Fragments
from .files import BOM
from .records import TextEntity, TextRecord
from .report import Action, Place, Report

# the label of links between the fragments of an entity, in lowercase or uppercase
FRAGMENT = "fragment"
# PubAnnotation's label for a region without a type
NO_TYPE = "_FRAGMENT"

Object = Mapping[str, Any]


class LinkedRegions:
    """The regions and links that a reader finds in a document.

    place (Place): The place of the document, with its name.
    report (Report): Collects what is dropped or repaired.
    """

    def __init__(self, place: Place, report: Report) -> None:
        self.place, self.report = place, report
        self.regions: list[TextEntity] = []
        self._links: list[tuple[str, str, str]] = []

    def add(
        self,
        source: object,
        label: object,
        offsets: Sequence[tuple[object, object]],
        id: object = None,
        surface: object = None,
        score: float | None = None,
        attrs: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a region. It is dropped, and the report quotes its source, if the label is not a
        string or an offset is not an integer.
        """
        # bool is a subclass of int
        fragments = tuple((a, b) for a, b in offsets if type(a) is int and type(b) is int)
        is_whole = fragments and len(fragments) == len(offsets)
        if not (isinstance(label, str) and label and is_whole):
            self.drop_malformed(source)
            return
        surface = surface if isinstance(surface, str) and surface.strip() else None
        name = None if id is None else str(id)
        self.regions.append(
            TextEntity(label, fragments, name, self.place, surface, score, attrs or {})
        )

    def link(self, label: object, start: object, end: object) -> None:
        """Add a relation between two regions, by their ids."""
        self._links.append((str(label), str(start), str(end)))

    def drop_malformed(self, source: object) -> None:
        """Report a malformed entity."""
        message = f"the type, offsets, id or score is invalid in {str(source)[:80]}"
        self.report.add("dropped", "malformed entity", message, self.place)

    def drop(self, kind: str, source: object) -> None:
        """Report something that has no place in a Doc."""
        self.report.add("dropped", kind, f"cannot keep {str(source)[:80]}", self.place)

    def to_record(self, text: str, extra: Mapping[str, Any] | None = None) -> TextRecord:
        """RETURNS (TextRecord): The document with its entities."""
        entities = clean_entities(text, self.join(text), self.report)
        return TextRecord(self.place.document or "", text, entities, self.place.file, extra or {})

    def join(self, text: str) -> Iterable[TextEntity]:
        """RETURNS (Iterable[TextEntity]): Regions that are not the end of a fragment link, each
        with the regions that are linked to it.
        """
        regions = _in_characters(text, self.regions, self.place, self.report)
        has_parts = self._links or any(region.label == NO_TYPE for region in regions)
        return self._join(regions) if has_parts else regions

    def _join(self, regions: Iterable[TextEntity]) -> Iterator[TextEntity]:
        known: dict[str, TextEntity] = {}
        for n, region in enumerate(regions):
            # if ids are repeated, links refer to the first
            name = region.id or ""
            known[f"{name} {n}" if not name or name in known else name] = region
        after: dict[str, list[str]] = {}
        targets: set[str] = set()
        for label, start, end in self._links:
            if label.lower() != FRAGMENT:
                self.drop("relation", label)
            elif start in known and end in known:
                after.setdefault(start, []).append(end)
                targets.add(end)
            else:
                self.drop("fragment that is no region with a type", f"{start} -> {end}")
        used: set[str] = set()
        # regions that are linked in a circle have no first one: start with any of them
        for name in sorted(known, key=lambda name: name in targets):
            if name in targets and name in used:
                continue
            reached = _follow(name, after)
            used.update(reached)
            parts = [known[part] for part in reached]
            labels = sorted({part.label for part in parts} - {NO_TYPE})
            fragments = tuple(sorted(f for part in parts for f in part.fragments))
            if len(labels) != 1:
                kind = "fragments of different types" if labels else "fragment without an entity"
                message = f"regions of {' and '.join(labels) or 'no type'} are linked as one entity"
                self.report.add("dropped", kind, message, self.place, fragments)
            elif len(parts) > 1:
                yield replace(parts[0], label=labels[0], fragments=fragments, surface=None)
            else:
                yield parts[0]


def clean_entities(
    text: str, entities: Iterable[TextEntity], report: Report, separator: str = " "
) -> tuple[TextEntity, ...]:
    """Normalize the entities of a document and report what is repaired or dropped.

    Fragments are sorted, stripped of whitespace, and joined if they overlap, touch, or have only
    whitespace between them, because annotation tools split entities at line ends.

    separator (str): The separator of fragments in the entities' surface texts.
    RETURNS (tuple[TextEntity, ...]): The entities without duplicates.
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
    r"""Infer from the surface texts how offsets count: ``\r\n`` as two characters or one, a byte
    order mark as one character or none.

    RETURNS (str): The text that agrees with most surface texts. On a tie it has no byte order mark
        and the original line ends.
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
    """RETURNS (bool): Whether an entity has no surface text, or the text at its offsets, apart from
    whitespace and with the fragments in either order.
    """
    if entity.surface is None:
        return True
    wanted = entity.surface.split()
    orders = (entity.fragments, tuple(sorted(entity.fragments)))
    return any(_slices(text, fragments, separator).split() == wanted for fragments in orders)


def clean_fragments(text: str, entity: TextEntity, report: Report) -> Fragments:
    """RETURNS (tuple[tuple[int, int], ...]): The normalized fragments of an entity, see
    `clean_entities`; empty if they are invalid.
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
    # negative offsets would count from the end
    return separator.join(text[max(start, 0) : max(end, 0)] for start, end in fragments)


def _name(entity: TextEntity) -> str:
    return f"{entity.label} {entity.id}" if entity.id else entity.label


def objects(value: object) -> list[Object]:
    """RETURNS (list[Mapping[str, Any]]): The objects in a list of JSON; empty for other values."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _follow(name: str, after: Mapping[str, list[str]]) -> list[str]:
    # the name, and those linked to it directly or indirectly
    found, waiting = {name: None}, [name]
    while waiting:
        new = [other for other in after.get(waiting.pop(), ()) if other not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return [*found]


def _in_characters(
    text: str, regions: list[TextEntity], place: Place, report: Report
) -> list[TextEntity]:
    # browsers count UTF-16 code units, two for an emoji
    raw = text.encode("utf-16-le")
    if len(raw) == 2 * len(text) or not any(region.surface for region in regions):
        return regions

    def convert(offset: int) -> int:
        return len(raw[: 2 * max(offset, 0)].decode("utf-16-le", "ignore"))

    converted = [
        replace(r, fragments=tuple((convert(a), convert(b)) for a, b in r.fragments))
        for r in regions
    ]
    fits = [sum(surface_fits(text, r) for r in found) for found in (regions, converted)]
    if fits[0] >= fits[1]:
        return regions
    message = f"offsets count in UTF-16 ({fits[1]} surface texts fit so)"
    report.add("repaired", "offsets in UTF-16", message, place)
    return converted
