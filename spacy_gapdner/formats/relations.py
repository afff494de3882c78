"""Relations, events and equivalences between entities in brat files.

A Doc stores their lines unchanged. They refer to entities by the ids in the entities' attrs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spacy.tokens import Doc

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
    chosen: dict[int, int | None] = {}
    targets = [targets_of(line.text) for line in lines]
    # a line can refer to another line
    while ready := [
        n for n in range(len(lines)) if n not in chosen and known.keys() >= {*targets[n]}
    ]:
        for n in ready:
            found = {known[target] for target in targets[n]}
            chosen[n] = found.pop() if len(found) == 1 else None
            known.setdefault(lines[n].text.split("\t")[0], chosen[n])
    kept: list[list[str]] = [[] for _ in range(n_docs)]
    for n, line in enumerate(lines):
        home = chosen.get(n)
        if home is None:
            drop_line(line, report)
        else:
            kept[home].append(line.text)
    return kept


def relation_lines(
    doc: Doc, names: Mapping[str, str], numbers: Counter[str], report: Report, place: Place
) -> list[str]:
    """RETURNS (list[str]): The lines of a Doc for a file, with the new ids in `names` for those of
    its entities. Lines of removed entities are dropped; `numbers` counts lines with each letter.
    """
    lines = [BratLine(text, place) for text in doc.user_data.get(DOC_RELATIONS, ())]
    (kept,) = keep_relations(lines, dict.fromkeys(names, 0), 1, report)
    written = []
    for line in kept:
        id, body, *rest = line.split("\t")
        if line[0] in "AMN#":
            numbers[line[0]] += 1
            id = f"{line[0]}{numbers[line[0]]}"
        words = []
        for word in body.split(" "):
            role, colon, target = word.rpartition(":")
            words.append(f"{role}{colon}{names.get(target, target)}")
        written.append("\t".join([id, " ".join(words), *rest]) + "\n")
    return written


def drop_line(line: BratLine, report: Report) -> None:
    """Report a line that cannot be kept."""
    report.add("dropped", KINDS[line.text[0]], f"cannot keep {line.text[:60]!r}", line.place)
