"""Edit the entities of a brat annotation file. All other lines stay unchanged.

Lines that refer to a deleted entity are deleted if they require it: attributes, notes, relations,
events with this trigger, and equivalences with fewer than two members. From other events and
equivalences, only the reference is removed. The type of an event changes with the type of its
trigger.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from ...entities import Fragments
from ...errors import GapDNERError
from ...formats.brat import entity_line, parse_entity
from ...formats.cleaning import choose_text, clean_fragments, convert_offsets, surface_fits
from ...formats.files import BOM, decode
from ...formats.records import BratLine, TextEntity, targets_of
from ...formats.report import NOWHERE, Report

_ID = re.compile(r"T\d+\S*")
# longer numbers are ids, but new ids do not continue them
_NUMBER = re.compile(r"T(\d{1,18})(?!\d)")
_EVENT = re.compile(r"(E\d+\S*\t)(\S+)")
# lines that refer to other lines
_REFERENCE = re.compile(r"(?:[AMN#RE]\d+\S*|\*)\t")


@dataclass(frozen=True)
class Mark:
    """An entity in a text, with character ranges in text order."""

    label: str
    fragments: Fragments
    # None for a new entity
    id: str | None = None

    @property
    def key(self) -> tuple[str, Fragments]:
        """Label and fragments, which identify an entity."""
        return self.label, self.fragments


class BratFile:
    """An annotation file. It remembers deleted lines, so that entities can be restored together
    with their attributes, notes and relations. The text includes the byte order mark."""

    def __init__(self, content: bytes, text: str, where: str) -> None:
        decoded = decode(content, where)
        self.text = text
        self.entities: dict[str, Mark] = {}
        # surface texts that differ from the text at the offsets, by id
        self.misfits: dict[str, str] = {}
        # entities with offsets outside the text, or with the id of another one
        self.n_hidden = 0
        self._bom = BOM if decoded.startswith(BOM) else ""
        self._lines = re.findall(r"[^\n]*\n|[^\n]+$", decoded.removeprefix(BOM))
        self._line_end = "\r\n" if self._lines and self._lines[0].endswith("\r\n") else "\n"
        # the lines in the file; deleted lines are empty
        self._current = self._lines
        self._line_of: dict[str, int] = {}
        self._deleted: set[str] = set()
        found = []
        for number, line in enumerate(self._lines):
            entity = parse_entity(BratLine(line.rstrip("\r\n"), NOWHERE))
            if entity is None or entity.id is None:
                continue
            if entity.id in self._line_of:
                self.n_hidden += 1
                continue
            found.append(entity)
            self._line_of[entity.id] = number
            if fragments := clean_fragments(text, entity, Report()):
                self.entities[entity.id] = Mark(entity.label, fragments, entity.id)
            else:
                # kept as an unknown line
                self.n_hidden += 1
            if not surface_fits(text, entity):
                self.misfits[entity.id] = entity.surface or ""
        how = text, found, Report(), NOWHERE
        if self.misfits and (choose_text(*how) != text or convert_offsets(*how) is not found):
            raise GapDNERError(
                f"{where} counts line ends, emoji or a byte order mark differently than brat, "
                f"which would move {next(iter(self.misfits))}. Convert the folder first: "
                "convert FOLDER NEW --format brat --n-sents 0"
            )

    @property
    def content(self) -> bytes:
        """The current content of the file."""
        return (self._bom + "".join(self._current)).encode("utf-8")

    def notes(self) -> dict[str, list[str]]:
        """The lines that refer to each entity, without ids."""
        found: dict[str, list[str]] = {}
        for line in self._current:
            for target in _targets(line):
                found.setdefault(target, []).append(" ".join(line.split()[1:]))
        return found

    def change(self, marks: Sequence[Mark]) -> list[str]:
        """Replace all entities. Unchanged entities keep their lines, and changed entities their
        ids. Returns the lines that were deleted or shortened because of deleted entities."""
        marks = [clean_mark(mark, self.text) for mark in marks]
        numbers = Counter(mark.key for mark in marks)
        lines, entities, line_of = list(self._lines), {}, dict(self._line_of)
        triggers = {}
        for name, mark in zip(self._choose_ids(marks), marks, strict=True):
            entities[name] = Mark(mark.label, mark.fragments, name)
            if entities[name] == self.entities.get(name):
                continue
            # repetitions in the file are kept
            if numbers[mark.key] > 1 and name not in line_of:
                raise GapDNERError(f"Repeated entity: {mark.label} at {mark.fragments}.")
            line = entity_line(name, mark.label, mark.fragments, self.text)
            if name in line_of:
                number = line_of[name]
                old = lines[number].split("\t")[1].split()[0]
                triggers[f"{old}:{name}"] = f"{mark.label}:{name}"
                lines[number] = line + _line_end(lines[number])
            else:
                if lines and not _line_end(lines[-1]):
                    lines[-1] += self._line_end
                line_of[name] = len(lines)
                lines.append(line + self._line_end)
            self.misfits.pop(name, None)
        lines, known = (
            [_with_trigger(line, triggers) for line in part] for part in (lines, self._current)
        )
        deleted = (self._deleted | self.entities.keys()) - entities.keys()
        current = list(lines)
        for name in deleted:
            current[line_of[name]] = ""
        current = _without_references(current, deleted)
        removed = [
            f"{before.strip()} → {after.strip()}" if after else before.strip()
            for before, after in zip(known, current, strict=False)
            if _targets(before) and len(after) < len(before)
        ]
        self.entities, self._line_of, self._deleted = entities, line_of, deleted
        self._lines, self._current = lines, current
        return removed

    def _choose_ids(self, marks: Sequence[Mark]) -> list[str]:
        given = [mark.id for mark in marks if mark.id is not None]
        if len(set(given)) < len(given) or not all(map(_ID.fullmatch, given)):
            raise GapDNERError(f"Invalid entity ids: {', '.join(given)}. Use unique ids like T1.")
        taken = {*self._line_of, *given}
        numbers = (_NUMBER.match(name) for name in taken)
        highest = max((int(match[1]) for match in numbers if match), default=0)
        new = (name for number in count(highest + 1) if (name := f"T{number}") not in taken)
        return [mark.id or next(new) for mark in marks]


def clean_mark(mark: Mark, text: str) -> Mark:
    """Normalize the fragments of an entity. Raises a GapDNERError if one is outside the text."""
    fragments = clean_fragments(text, TextEntity(mark.label, mark.fragments), Report())
    if not fragments:
        raise GapDNERError(f"Invalid fragments of {mark.label}: {mark.fragments}.")
    return Mark(mark.label, fragments, mark.id)


def _without_references(lines: Sequence[str], deleted: Iterable[str]) -> list[str]:
    ids = set(deleted)
    # repeated, because lines can refer to deleted lines
    while True:
        kept = [_without(line, ids) for line in lines]
        pairs = zip(lines, kept, strict=True)
        new = {line.split("\t")[0] for line, left in pairs if line and not left}
        if new <= ids:
            return kept
        ids |= new


def _with_trigger(line: str, new: Mapping[str, str]) -> str:
    event = _EVENT.match(line)
    return event[1] + new.get(event[2], event[2]) + line[event.end() :] if event else line


def _targets(line: str) -> list[str]:
    return targets_of(line.rstrip("\r\n")) if _REFERENCE.match(line) else []


def _without(line: str, ids: set[str]) -> str:
    # empty if the line requires one of the ids
    if ids.isdisjoint(_targets(line)):
        return line
    name, content, *rest = line.rstrip("\r\n").split("\t")
    first, *words = content.split()
    kept = [word for word in words if word.rpartition(":")[2] not in ids]
    is_event = name[0] == "E" and first.rpartition(":")[2] not in ids
    if is_event or (name == "*" and len(kept) > 1):
        return "\t".join([name, " ".join([first, *kept]), *rest]) + _line_end(line)
    return ""


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
