"""Relations, events and equivalences between entities in brat files.

A Doc stores their lines unchanged. They refer to entities by the ids in the entities' attrs.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
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
    kept: list[list[str]] = [[] for _ in range(n_docs)]

    def home_of(line: BratLine) -> int | None:
        found = {known.get(target) for target in targets_of(line.text)}
        return found.pop() if len(found) == 1 else None

    # lines can refer to other lines
    named = {line.text.split("\t")[0]: line for line in reversed(lines)}
    sorter = TopologicalSorter({id: targets_of(line.text) for id, line in named.items()})
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        for id in ready:
            if id in named:
                known.setdefault(id, home_of(named[id]))
        sorter.done(*ready)
    for line in lines:
        home = home_of(line)
        if home is None:
            drop_line(line, report)
        else:
            kept[home].append(line.text)
    return kept


def drop_line(line: BratLine, report: Report) -> None:
    """Report a line that cannot be kept."""
    report.add("dropped", KINDS[line.text[0]], f"cannot keep {line.text[:60]!r}", line.place)
