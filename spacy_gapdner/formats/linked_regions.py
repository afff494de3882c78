"""Make entities from regions and links in files.

Some tools mark contiguous regions only. There, a discontinuous entity has links with the label
`FRAGMENT` from one of its regions to each of the others. Several entities can share a region that
links point to. All regions of an entity have its type or no type. The entity has the lowest
score of its regions and the id of the first, and their other values if they do not differ.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ..entities import Fragments
from ..errors import GapDNERError
from .attributes import split_attributes
from .cleaning import clean_entities, convert_offsets
from .files import value_errors
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

# the label of links between the fragments of an entity, in lowercase or uppercase
FRAGMENT = "fragment"
# with the label of Kazu
_FRAGMENTS = (FRAGMENT, "non-contig")
# PubAnnotation's label for a region without a type
NO_TYPE = "_FRAGMENT"

Object = Mapping[str, Any]
T = TypeVar("T")


class LinkedRegions:
    """The regions and links that a reader finds in a document, whose place has its name."""

    def __init__(self, place: Place, report: Report) -> None:
        self.place, self.report = place, report
        self.regions: list[TextEntity] = []
        # what offsets count, see `convert_offsets`
        self.units: str | None = None
        self.extra: dict[str, Any] = {}
        self._links: list[tuple[str, str, str]] = []
        # the numbers of the regions by the ids to which links refer, and their labels
        self._numbers: dict[str, dict[str, int]] = {}

    def add(
        self,
        source: object,
        label: object,
        offsets: Sequence[tuple[object, object]],
        id: object = None,
        surface: object = None,
        score: float | None = None,
        attrs: Mapping[str, Any] | None = None,
        link_id: object = None,
    ) -> None:
        """Add a region. It is dropped, and the report quotes its source, if the label is not a
        string or an offset is not an integer. Links refer to it by its id or another `link_id`.
        """
        # bool is a subclass of int
        fragments = tuple((a, b) for a, b in offsets if type(a) is int and type(b) is int)
        if not (isinstance(label, str) and label and 0 < len(fragments) == len(offsets)):
            self.drop("malformed entity", source)
            return
        surface = surface if isinstance(surface, str) else None
        name = None if id is None else str(id)
        if id is not None or link_id is not None:
            # if ids and labels are repeated, links refer to the first
            key = str(id if link_id is None else link_id)
            self._numbers.setdefault(key, {}).setdefault(label, len(self.regions))
        region = TextEntity(label, fragments, name, self.place, surface, score, attrs or {})
        self.regions.append(region)

    def link(self, label: object, start: object, end: object) -> None:
        """Add a relation between two regions, by their ids."""
        self._links.append((str(label), str(start), str(end)))

    def drop(self, kind: str, source: object) -> None:
        """Report a part of the file that is invalid or that a Doc cannot store, or a message."""
        message = source if isinstance(source, str) else f"cannot keep {str(source)[:80]}"
        self.report.add("dropped", kind, message, self.place)

    def drop_untyped(self, message: str, offsets: Fragments = ()) -> None:
        """Report an entity whose type is missing."""
        self.report.entities += 1
        self.report.add("dropped", "annotation without a type", message, self.place, offsets)

    def store(self, record: Object, known: Sequence[str]) -> None:
        """Store the other values of the document's record in the file, without the known keys."""
        empty: tuple[object, ...] = (None, "", [], {})
        others = ((key, value) for key, value in record.items() if key not in known)
        self.extra |= {key: value for key, value in others if value not in empty}

    def to_record(self, text: str) -> TextRecord:
        """RETURNS (TextRecord): The document with its entities."""
        regions = convert_offsets(text, self.regions, self.report, self.place, self.units)
        entities = clean_entities(text, self._join(regions), self.report)
        return TextRecord(self.place.document or "", text, entities, self.place.file, self.extra)

    def _join(self, regions: Sequence[TextEntity]) -> Iterator[TextEntity]:
        # yields regions that are not the end of a fragment link, with the regions linked to them
        after: dict[int, set[int]] = {}
        for label, start, end in self._links:
            starts, ends = (self._numbers.get(id, {}) for id in (start, end))
            if label.lower() not in _FRAGMENTS:
                known = f"the label {label!r:.60}" if label else "no label"
                self.drop("relation", f"the relation has {known}")
            elif starts and ends:
                # regions with several types: link regions of the same type
                same = [name for name in starts if name in ends]
                pairs = [(starts[name], ends[name]) for name in same]
                for first, second in pairs or [(min(starts.values()), min(ends.values()))]:
                    after.setdefault(first, set()).add(second)
            else:
                message = f"the link from {start} to {end} does not connect two regions"
                self.drop("fragment that is not a region with a type", message)
        targets = {end for ends in after.values() for end in ends}
        used: set[int] = set()
        # regions that are linked in a circle have no first one: start with any of them
        for number in sorted(range(len(regions)), key=targets.__contains__):
            if number in targets and number in used:
                continue
            reached, seen = [number], {number}
            for part in reached:
                found = after.get(part, set()) - seen
                reached += sorted(found)
                seen |= found
            used |= seen
            parts = [regions[part] for part in reached]
            labels = sorted({part.label for part in parts} - {NO_TYPE})
            fragments = tuple(sorted(f for part in parts for f in part.fragments))
            if len(labels) != 1:
                kind = "fragments of different types" if labels else "fragment without an entity"
                message = f"regions of {' and '.join(labels) or 'no type'} are linked as one entity"
                self.report.add("dropped", kind, message, self.place, fragments)
            elif len(parts) > 1:
                yield self._merge(parts, labels[0], fragments)
            else:
                yield parts[0]

    def _merge(self, parts: Sequence[TextEntity], label: str, fragments: Fragments) -> TextEntity:
        values: dict[str, Any] = {}
        for part in parts:
            for key, value in {**part.attrs, **part.attrs.get("_", {})}.items():
                if key != "_" and values.setdefault(key, value) != value:
                    message = f"{label} has {key} {values[key]!r:.60} and {value!r:.60}"
                    self.report.add("dropped", "attribute", message, self.place, fragments)
        score = min((part.score for part in parts if part.score is not None), default=None)
        entity = replace(parts[0], label=label, fragments=fragments, surface=None)
        return replace(entity, score=score, attrs=split_attributes(values)[1])


def read_regions(
    documents: Iterable[tuple[T, Place]],
    report: Report,
    parse: Callable[[T, LinkedRegions], str | None],
    note_repeats: bool = False,
) -> Iterator[TextRecord]:
    """YIELDS (TextRecord): The documents, given in the form of the file with their places. `parse`
    adds the regions and links of one and returns its text, or None if the document is skipped. With
    `note_repeats`, the report notes texts that appear more than once.
    """
    names: dict[int, str | None] = {}
    for document, place in documents:
        with reading(report, place):
            regions = LinkedRegions(place, report)
            with value_errors(place):
                text = parse(document, regions)
            if text is not None:
                if note_repeats and (key := hash(text)) in names:
                    message = f"{names[key]} has the same text"
                    report.add("kept", "text that appears more than once", message, place)
                names.setdefault(hash(text), place.document)
                yield regions.to_record(text)


def check_annotator(path: Path, annotator: str | None, names: Iterable[str]) -> None:
    """Raise a GapDNERError if an annotator is given but is not one of the names."""
    known = sorted({*names})
    if known and annotator not in (None, *known):
        raise GapDNERError(f"{path} has no annotator {annotator!r}. Choose {', '.join(known)}.")
