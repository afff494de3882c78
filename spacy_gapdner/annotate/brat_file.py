"""Editing the entities of a brat annotation file. All other lines are unchanged.

Lines that refer to a deleted entity are deleted if they require it: attributes, notes, relations,
events with this trigger, and equivalences with fewer than two members. From other events and
equivalences, only the reference is removed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..entities import Fragments
from ..errors import GapDNERError
from ..formats.brat import entity_line, parse_entity
from ..formats.cleaning import choose_text, clean_fragments, surface_fits
from ..formats.files import BOM, decode
from ..formats.records import TextEntity
from ..formats.relations import BratLine, targets_of
from ..formats.report import NOWHERE, Report

_NAME = re.compile(r"T\d+\S*")
_NUMBER = re.compile(r"\bT(\d+)")
# lines that refer to other lines
_ABOUT = re.compile(r"(?:[AMN#RE]\d+\S*|\*)\t")


@dataclass(frozen=True)
class Mark:
    """An entity in a text.

    label (str): The entity type.
    fragments (tuple[tuple[int, int], ...]): Character ranges in text order.
    id (Optional[str]): The id in the file. None for a new entity.
    """

    label: str
    fragments: Fragments
    id: str | None = None

    @property
    def key(self) -> tuple[str, Fragments]:
        """RETURNS (tuple[str, Fragments]): Label and fragments, which identify an entity."""
        return self.label, self.fragments


class Lost(NamedTuple):
    """A line that was deleted or shortened because of a deleted entity.

    line (str): The original line.
    left (str): The shortened line. Empty if it was deleted.
    """

    line: str
    left: str


class Change(NamedTuple):
    """A change to a file.

    content (bytes): The new content.
    ids (list[str]): The ids of the entities, in the given order.
    removed (list[Lost]): Lines that this change deleted or shortened.
    lost (list[Lost]): Lines that were deleted or shortened by all changes and not restored.
    """

    content: bytes
    ids: list[str]
    removed: list[Lost]
    lost: list[Lost]


class BratFile:
    """A parsed annotation file.

    content (bytes): The content of the file.
    text (str): The text of the document, including line ends and byte order mark.
    where (str): The name of the file, for messages.
    RAISES (GapDNERError): If the file is not UTF-8, or does not count offsets like brat.
    """

    def __init__(self, content: bytes, text: str, where: str) -> None:
        decoded = decode(content, where)
        self.text = text
        self._mark = BOM if decoded.startswith(BOM) else ""
        self._lines = re.findall(r"[^\n]*\n|[^\n]+$", decoded.removeprefix(BOM))
        self._end = "\r\n" if self._lines and self._lines[0].endswith("\r\n") else "\n"
        self._places: dict[str, int] = {}
        self.entities: dict[str, Mark] = {}
        self.misfits: dict[str, str] = {}
        self._read(where)

    def notes(self) -> dict[str, list[str]]:
        """RETURNS (dict[str, list[str]]): Descriptions of the lines that refer to each entity."""
        found: dict[str, list[str]] = {}
        for line in self._lines:
            for target in _targets(line):
                if target in self.entities:
                    found.setdefault(target, []).append(_describe(line))
        return found

    def change(self, marks: Sequence[Mark], lost: Sequence[Lost] = ()) -> Change:
        """Replace the entities. Unchanged entities keep their lines, and changed entities keep
        their ids. New entities without an id get the next number.

        marks (Sequence[Mark]): All entities of the new file.
        lost (Sequence[Lost]): Lines that were removed with deleted entities. They are restored if
            the entities are restored with their ids.
        RETURNS (Change): The new content and the removed lines.
        RAISES (GapDNERError): If a label, an id or a fragment is invalid.
        """
        marks = [clean_mark(mark, self.text) for mark in marks]
        ids = self._choose_ids(marks, lost)
        lines, new = list(self._lines), []
        for name, mark in zip(ids, marks, strict=True):
            known = self.entities.get(name)
            if known and known.key == mark.key:
                continue
            line = entity_line(name, mark.label, mark.fragments, self.text)
            if name in self._places:
                place = self._places[name]
                lines[place] = line + _line_end(lines[place])
            else:
                new.append(line + self._end)
        gone = self.entities.keys() - set(ids)
        for name in gone:
            lines[self._places[name]] = ""
        removed = _take_out(lines, set(gone))
        kept = [*lost, *removed]
        if new:
            if lines and lines[-1] and not lines[-1].endswith("\n"):
                lines[-1] += self._end
            lines += new
            kept = _bring_back(lines, kept, self._end)
        content = self._mark + "".join(lines)
        return Change(content.encode("utf-8"), ids, removed, kept)

    def _read(self, where: str) -> None:
        found: list[TextEntity] = []
        for number, raw in enumerate(self._lines):
            entity = parse_entity(BratLine(raw.rstrip("\r\n"), NOWHERE))
            if entity is None or entity.id is None or entity.id in self._places:
                continue
            self._places[entity.id] = number
            found.append(entity)
            # invalid entities are kept as unknown lines
            if fragments := clean_fragments(self.text, entity, Report()):
                self.entities[entity.id] = Mark(entity.label, fragments, entity.id)
            if not surface_fits(self.text, entity):
                self.misfits[entity.id] = entity.surface or ""
        if self.misfits and choose_text(self.text, found, Report(), NOWHERE) != self.text:
            raise GapDNERError(
                f"{where} counts line ends or a byte order mark differently than brat, which would "
                f"move {next(iter(self.misfits))}. Convert the folder to brat first."
            )

    def _choose_ids(self, marks: Sequence[Mark], lost: Sequence[Lost]) -> list[str]:
        given: set[str] = set()
        for name in (mark.id for mark in marks if mark.id is not None):
            if not _NAME.fullmatch(name):
                raise GapDNERError(f"Invalid entity id: {name!r}. Use T and a number.")
            if name in given:
                raise GapDNERError(f"Duplicate entity id: {name}.")
            given.add(name)
        texts = (*self._places, *given, *(line for line, _ in lost))
        highest = max((int(n) for text in texts for n in _NUMBER.findall(text)), default=0)
        ids = []
        for mark in marks:
            highest += mark.id is None
            ids.append(mark.id or f"T{highest}")
        return ids


def clean_mark(mark: Mark, text: str) -> Mark:
    """Normalize the fragments of an entity.

    mark (Mark): The entity.
    text (str): The text of the document.
    RETURNS (Mark): The entity with normalized fragments.
    RAISES (GapDNERError): If a fragment is outside the text, or the label is invalid.
    """
    entity = TextEntity(mark.label, mark.fragments)
    fragments = clean_fragments(text, entity, Report()) if mark.fragments else ()
    if not fragments:
        raise GapDNERError(f"Invalid fragments of {mark.label}: {mark.fragments}.")
    return Mark(mark.label, fragments, mark.id)


def _take_out(lines: list[str], gone: set[str]) -> list[Lost]:
    # repeated, because lines can refer to deleted lines
    removed = []
    while gone:
        follow: set[str] = set()
        for place, line in enumerate(lines):
            if gone.isdisjoint(_targets(line)):
                continue
            lines[place] = _without(line, gone)
            removed.append(Lost(line, lines[place]))
            if not lines[place]:
                follow.add(line.split("\t")[0])
        gone = follow
    return removed


def _bring_back(lines: list[str], lost: Sequence[Lost], end: str) -> list[Lost]:
    left = dict(enumerate(lost))
    back: dict[int, str] = {}
    names = {line.split("\t")[0] for line in lines}
    found = True
    while found:
        found = False
        for number, (line, rest) in sorted(left.items(), reverse=True):
            if not names.issuperset(_targets(line)):
                continue
            line = line if line.endswith("\n") else line + end
            if rest and rest in lines:
                lines[lines.index(rest)] = line
            else:
                back = {n: other for n, other in back.items() if other != rest} | {number: line}
            names.add(line.split("\t")[0])
            del left[number]
            found = True
    # in the original order
    lines += [line for _, line in sorted(back.items())]
    return list(left.values())


def _targets(line: str) -> list[str]:
    return targets_of(line.rstrip("\r\n")) if _ABOUT.match(line) else []


def _without(line: str, gone: set[str]) -> str:
    # empty if the line requires a deleted entity
    name, content, *rest = line.rstrip("\r\n").split("\t")
    first, *words = content.split()
    kept = [word for word in words if word.rpartition(":")[2] not in gone]
    is_event = name[0] == "E" and first.rpartition(":")[2] not in gone
    if is_event or (name == "*" and len(kept) > 1):
        return "\t".join([name, " ".join([first, *kept]), *rest]) + _line_end(line)
    return ""


def _describe(line: str) -> str:
    name, content, *rest = line.rstrip("\r\n").split("\t")
    words = content.split()
    if name[0] == "#":
        return " ".join(rest)
    if name[0] in "AM":
        return ": ".join([words[0], *words[2:]])
    if name[0] == "N":
        return " ".join([*words[2:], *rest])
    return content


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
