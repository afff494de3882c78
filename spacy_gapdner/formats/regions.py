"""Regions and the links between them, as annotation tools export them -> entities.

A tool that marks contiguous regions alone gives a discontinuous entity by links: those labeled
`FRAGMENT` lead from one of its regions to each of the others. Several entities may share a region
that links lead to. All regions of an entity have its type.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .fragments import clean_entities, surface_fits
from .records import TextEntity, TextRecord
from .report import Place, Report

# the label, in small or capital letters, of the links between the fragments of an entity
FRAGMENT = "fragment"

Object = Mapping[str, Any]


class Link(NamedTuple):
    """A relation between two regions: its label, and the ids of where it leads from and to."""

    label: str
    start: str
    end: str


def make_record(
    text: str,
    items: Iterable[tuple[object, TextEntity | None]],
    links: Iterable[Link],
    place: Place,
    report: Report,
) -> TextRecord:
    """Put a document together.

    items (Iterable[tuple[object, Optional[TextEntity]]]): What the file says of each region, and
        the region; None if it is malformed.
    links (Iterable[Link]): Relations between regions, by their ids.
    place (Place): The document, with its name.
    report (Report): Takes what is dropped or repaired.
    RETURNS (TextRecord): The document with its entities.
    """
    regions = []
    for item, region in items:
        if region is None:
            report.add("dropped", "malformed entity", f"cannot read {str(item)[:80]}", place)
        else:
            regions.append(region)
    entities = _join(_in_characters(text, regions, place, report), links, place, report)
    return TextRecord(
        place.document or "", text, clean_entities(text, entities, report), place.file
    )


def _join(
    regions: Sequence[TextEntity], links: Iterable[Link], place: Place, report: Report
) -> Iterator[TextEntity]:
    # the regions that no link of ours leads to, each with the fragments that it leads to
    known = {region.id or "": region for region in regions}
    after: dict[str, list[str]] = {}
    targets: set[str] = set()
    for link in links:
        if link.label.lower() != FRAGMENT:
            report.add("dropped", "relation", f"cannot hold {link.label[:80]!r}", place)
        elif link.start in known and link.end in known:
            after.setdefault(link.start, []).append(link.end)
            targets.add(link.end)
        else:
            message = f"{link.start!r:.60} -> {link.end!r:.60}"
            report.add("dropped", "fragment that is no region with a type", message, place)
    used: set[str] = set()
    # those in a circle, which no first one leads to, begin where they are met
    for name in sorted(known, key=lambda name: name in targets):
        if name in targets and name in used:
            continue
        reached = follow(name, after)
        used.update(reached)
        parts = [known[part] for part in reached]
        labels = sorted({part.label for part in parts})
        fragments = tuple(sorted(f for part in parts for f in part.fragments))
        if len(labels) > 1:
            message = f"regions of {' and '.join(labels)} are linked as one entity"
            report.add("dropped", "fragments of different types", message, place, fragments)
        elif len(parts) > 1:
            yield replace(parts[0], fragments=fragments, surface=None)
        else:
            yield parts[0]


def follow(name: str, after: Mapping[str, list[str]]) -> list[str]:
    """RETURNS (list[str]): A name, and those that it leads to over any number of links."""
    found, waiting = {name: None}, [name]
    while waiting:
        new = [other for other in after.get(waiting.pop(), ()) if other not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return [*found]


def objects(value: object) -> list[Object]:
    """RETURNS (list[Mapping[str, Any]]): The objects of a list in JSON; none if it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


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
