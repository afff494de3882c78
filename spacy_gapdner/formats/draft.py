"""A document that a reader puts together: regions and the links between them -> entities.

A tool that marks contiguous regions alone gives a discontinuous entity by links: those labeled
`FRAGMENT` lead from one of its regions to each of the others. Several entities may share a region
that links lead to. All regions of an entity have its type, or none of their own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .fragments import clean_entities, surface_fits
from .records import TextEntity, TextRecord
from .report import Place, Report

# the label, in small or capital letters, of the links between the fragments of an entity
FRAGMENT = "fragment"
# the label of a region that has no type of its own, as PubAnnotation writes it
NO_TYPE = "_FRAGMENT"

Object = Mapping[str, Any]


class Draft:
    """A document of which a reader adds what a file says.

    place (Place): The document, with its name.
    report (Report): Takes what no entity can hold.
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
        """Add a region: its label must be a text, and its offsets whole numbers, or it is dropped
        with its source, which is what the file says of it.
        """
        # bool is an int to Python, but no offset
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
        """Report what is no entity."""
        message = f"no type, offsets, id or score as they should be in {str(source)[:80]}"
        self.report.add("dropped", "malformed entity", message, self.place)

    def drop(self, kind: str, source: object) -> None:
        """Report what no entity can hold."""
        self.report.add("dropped", kind, f"cannot hold {str(source)[:80]}", self.place)

    def to_record(self, text: str, extra: Mapping[str, Any] | None = None) -> TextRecord:
        """RETURNS (TextRecord): The document with its entities."""
        entities = clean_entities(text, self.join(text), self.report)
        return TextRecord(self.place.document or "", text, entities, self.place.file, extra or {})

    def join(self, text: str) -> Iterable[TextEntity]:
        """RETURNS (Iterable[TextEntity]): The regions that no link of ours leads to, each with the
        fragments that it leads to.
        """
        regions = _in_characters(text, self.regions, self.place, self.report)
        has_parts = self._links or any(region.label == NO_TYPE for region in regions)
        return self._join(regions) if has_parts else regions

    def _join(self, regions: Iterable[TextEntity]) -> Iterator[TextEntity]:
        known: dict[str, TextEntity] = {}
        for n, region in enumerate(regions):
            # links to an id that several have lead to the first
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
        # those in a circle, which no first one leads to, begin where they are met
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


def objects(value: object) -> list[Object]:
    """RETURNS (list[Mapping[str, Any]]): The objects of a list in JSON; none if it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _follow(name: str, after: Mapping[str, list[str]]) -> list[str]:
    # a name, and those that it leads to over any number of links
    found, waiting = {name: None}, [name]
    while waiting:
        new = [other for other in after.get(waiting.pop(), ()) if other not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return [*found]


def _in_characters(
    text: str, regions: list[TextEntity], place: Place, report: Report
) -> list[TextEntity]:
    # browsers count an emoji as two characters
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
