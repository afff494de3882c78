"""Read and write lines of brat's annotation files: entities and normalizations."""

import re
from collections.abc import Sequence
from itertools import islice

from ..entities import Fragments
from ..errors import GapDNERError
from .records import BratLine, TextEntity

_PART, _NUMBER = re.compile(r";|[^\s;]+"), re.compile(r"-?\d{1,18}")
_NAME = re.compile(r"T\d+\S*")
# the id of an entity after another line whose line end was lost
_NAME_WITHIN = re.compile(r"(?<!AnnotatorNotes )T\d+$")
# in the BioNLP shared tasks: N1 TAB RESOURCE Annotation:T1 Referent:ID
_REFERENT = re.compile(r"N\d+\S*\t\S+ Annotation:(\S+) Referent:(\S+)(?:\t.*)?")


def parse_entity(line: BratLine) -> TextEntity | None:
    """RETURNS (Optional[TextEntity]): The entity of a line; None for other lines."""
    name, *columns = line.text.split("\t", 4)
    found = _NAME.fullmatch(name) and _split_place(columns)
    if not found:
        return None
    label, fragments, n_columns = found
    surface = "\t".join(columns[n_columns:]) if len(columns) > n_columns else None
    return TextEntity(label, fragments, name, line.place, surface)


def _split_place(columns: Sequence[str]) -> tuple[str, Fragments, int] | None:
    # The label, the fragments and the number of columns with them. A label can contain spaces, and
    # tabs can replace the spaces after it. This is linear, unlike a regular expression.
    for n_columns in range(1, min(len(columns), 3) + 1):
        place = " ".join(columns[:n_columns])
        parts = _PART.findall(place)
        numbers: list[int] = []
        # backward, because a label can end with a number
        first = len(parts)
        while first > 1 and all(map(_NUMBER.fullmatch, parts[first - 2 : first])):
            numbers += [int(parts[first - 1]), int(parts[first - 2])]
            first -= 2
            pair = parts[max(first - 3, 0) : first]
            if len(pair) < 3 or pair.pop() != ";" or not all(map(_NUMBER.fullmatch, pair)):
                break
            first -= 1
        if not numbers:
            continue
        start = next(islice(_PART.finditer(place), first, None)).start()
        label = place[:start].rstrip()
        is_label = label and not label[0].isspace() and len(label) <= len(columns[0])
        if is_label and place[start - 1].isspace():
            numbers.reverse()
            fragments = tuple(zip(numbers[::2], numbers[1::2], strict=True))
            return label, fragments, n_columns
    return None


def entity_line(name: str, label: str, fragments: Fragments, text: str) -> str:
    """RETURNS (str): The line of an entity, with fragments split at line ends, as brat does."""
    if not re.fullmatch(r"\S+", label):
        raise GapDNERError(f"brat requires a label without whitespace, not {label!r}. Rename it.")
    pieces = [
        (start + match.start(), start + match.end())
        for start, end in fragments
        for match in re.finditer(r"[^\r\n]+", text[start:end])
        if match[0].strip()
    ]
    offsets = ";".join(f"{start} {end}" for start, end in pieces)
    surface = " ".join(text[start:end] for start, end in pieces)
    return f"{name}\t{label} {offsets}\t{surface}"


def find_entities_within(line: str) -> list[int]:
    """RETURNS (list[int]): Where entities begin in a line, except at its start."""
    columns = line.split("\t")
    found, end = [], 0
    for number, column in enumerate(columns):
        end += len(column)
        match = _NAME_WITHIN.search(column)
        if match and end > len(match[0]) and _split_place(columns[number + 1 : number + 4]):
            found.append(end - len(match[0]))
        # the tab
        end += 1
    return found


def referent_of(line: str) -> tuple[str, str] | None:
    """RETURNS (Optional[tuple[str, str]]): The ids of the entity and of its concept in a line of
    the BioNLP shared tasks. None for other lines.
    """
    match = _REFERENT.fullmatch(line)
    return (match[1], match[2]) if match else None
