"""Relations, events and equivalences between entities in brat files.

A Doc stores their lines unchanged. They refer to entities by the ids in the entities' attrs.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .report import Place, Report

# the key of the lines in doc.user_data
DOC_RELATIONS = "gapdner_relations"
KINDS = {
    "R": "relation",
    "E": "event",
    "*": "equivalence",
    "A": "attribute",
    "M": "attribute",
    "N": "normalization",
    "#": "note",
}


class BratLine(NamedTuple):
    """A line of an annotation file and its place."""

    text: str
    place: Place


def targets_of(line: str) -> list[str]:
    """RETURNS (list[str]): The ids to which a line refers; an empty id if it is malformed."""
    words = line.partition("\t")[2].split("\t")[0].split(" ")
    if line[0] == "*":
        return words[1:]
    if line[0] in "RE":
        return [word.partition(":")[2] for word in words[line[0] == "R" :] if word]
    return words[1:2]


def keep_relations(
    lines: Sequence[BratLine], homes: Mapping[str, int], n_docs: int, report: Report
) -> list[list[str]]:
    """RETURNS (list[list[str]]): The lines of a document for each Doc made from it. `homes` gives
    the number of the Doc by the ids of entities. Lines that do not fit into one Doc are dropped.
    """
    known: dict[str, int | None] = dict(homes)
    # lines can refer to other lines: each waits for the ids that are not known yet
    missing = [{*targets_of(line.text)} - known.keys() for line in lines]
    waiting: dict[str, list[int]] = {}
    for number, ids in enumerate(missing):
        for id in ids:
            waiting.setdefault(id, []).append(number)
    places: list[int | None] = [None] * len(lines)
    ready = [number for number, ids in enumerate(missing) if not ids]
    for number in ready:
        found = {known[target] for target in targets_of(lines[number].text)}
        places[number] = home = found.pop() if len(found) == 1 else None
        id = lines[number].text.split("\t")[0]
        if id not in known:
            known[id] = home
            for other in waiting.get(id, ()):
                missing[other].remove(id)
                if not missing[other]:
                    ready.append(other)
    kept: list[list[str]] = [[] for _ in range(n_docs)]
    for line, home in zip(lines, places, strict=True):
        if home is None:
            drop_line(line, report)
        else:
            kept[home].append(line.text)
    return kept


def drop_line(line: BratLine, report: Report) -> None:
    """Report a line that cannot be kept."""
    report.add("dropped", KINDS[line.text[0]], f"cannot keep {line.text[:60]!r}", line.place)
