"""Read and write lines of brat's annotation files, and find the Docs of relations."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from ..entities import Fragments
from ..errors import GapDNERError
from .records import ACROSS, BratLine, TextEntity
from .report import Report, format_offsets

# a label can contain spaces, and tabs can replace the spaces after it
_PLACE = r"(\S+(?: \S+)*?)[ \t](-?\d{1,18}[ \t]-?\d{1,18}(?:;-?\d{1,18} -?\d{1,18})*) ?"
_ENTITY = re.compile(rf"(T\d+\S*)\t{_PLACE}(?:\t(.*))?")
# an entity after another line whose line end was lost
_ENTITY_WITHIN = re.compile(r"(?<!^)(?<!AnnotatorNotes )T\d+\t\S+[ \t]\d+[ \t]\d+")
# in the BioNLP shared tasks: N1 TAB RESOURCE Annotation:T1 Referent:ID
_REFERENT = re.compile(r"N\d+\S*\t\S+ Annotation:(\S+) Referent:(\S+)(?:\t.*)?")


def parse_entity(line: BratLine) -> TextEntity | None:
    """RETURNS (Optional[TextEntity]): The entity of a line; None for other lines."""
    match = _ENTITY.fullmatch(line.text)
    if match is None:
        return None
    name, label, offsets, surface = match.groups()
    numbers = [int(number) for number in re.findall(r"-?\d+", offsets)]
    fragments = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    return TextEntity(label, fragments, name, line.place, surface)


def entity_line(name: str, label: str, fragments: Fragments, text: str) -> str:
    """RETURNS (str): The line of an entity, with fragments split at line ends, as brat does."""
    if not re.fullmatch(r"\S+", label):
        raise GapDNERError(f"brat requires a label without whitespace, not {label!r}. Rename it.")
    pieces = tuple(
        (start + match.start(), start + match.end())
        for start, end in fragments
        for match in re.finditer(r"[^\r\n]+", text[start:end])
        if match[0].strip()
    )
    surface = " ".join(text[start:end] for start, end in pieces)
    return f"{name}\t{label} {format_offsets(pieces)}\t{surface}"


def find_entities_within(line: str) -> list[int]:
    """RETURNS (list[int]): Where entities begin in a line, except at its start."""
    return [match.start() for match in _ENTITY_WITHIN.finditer(line)]


def referent_of(line: str) -> tuple[str, str] | None:
    """RETURNS (Optional[tuple[str, str]]): The ids of the entity and of its concept in a line of
    the BioNLP shared tasks. None for other lines.
    """
    match = _REFERENT.fullmatch(line)
    return (match[1], match[2]) if match else None


def targets_of(line: str) -> list[str]:
    """RETURNS (list[str]): The ids to which a line refers; an empty id if it is malformed."""
    words = line.partition("\t")[2].split("\t")[0].split(" ")
    if line[0] == "*":
        return words[1:]
    if line[0] in "RE":
        return [word.partition(":")[2] for word in words[line[0] == "R" :] if word]
    # N1 TAB RESOURCE Annotation:T1 Referent:ID
    return [word.removeprefix("Annotation:") for word in words[1:2]]


def keep_relations(
    lines: Sequence[BratLine], homes: Mapping[str, int], n_docs: int, report: Report
) -> list[list[str]]:
    """RETURNS (list[list[str]]): The lines of a document for each Doc made from it. `homes` gives
    the number of the Doc by the ids of entities. Lines that do not fit into one Doc are dropped.
    """
    # the Docs of each line; None if one is missing
    known: dict[str, set[int | None]] = {id: {home} for id, home in homes.items()}
    kept: list[list[str]] = [[] for _ in range(n_docs)]

    def homes_of(line: BratLine) -> set[int | None]:
        targets = targets_of(line.text) or [""]
        return {home for target in targets for home in known.get(target, {None})}

    # lines can refer to other lines
    named = {line.text.split("\t")[0]: line for line in reversed(lines)}
    sorter = TopologicalSorter({id: targets_of(line.text) for id, line in named.items()})
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        for id in named.keys() & ready:
            known.setdefault(id, homes_of(named[id]))
        sorter.done(*ready)
    for line in lines:
        found = homes_of(line)
        if None in found:
            targets = targets_of(line.text) or [""]
            missing = next(target for target in targets if None in known.get(target, {None}))
            line.drop(report, f": it refers to {missing!r}, which is not in this Doc")
        elif len(found) > 1:
            line.drop(report, ": it refers to several Docs", ACROSS)
        else:
            kept[found.pop() or 0].append(line.text)
    return kept
