"""Edit the entities of a brat annotation file. All other lines stay unchanged.

Lines that refer to a deleted entity are deleted if they require it: attributes, notes, relations,
events with this trigger, and equivalences with fewer than two members. From other events and
equivalences, only the reference is removed. The type of an event changes with the type of its
trigger.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count

from ...errors import GapDNERError
from ...formats.brat_lines import entity_line, parse_entity, targets_of
from ...formats.cleaning import choose_text, clean_fragments, convert_offsets, surface_fits
from ...formats.files import BOM, decode
from ...formats.records import BratLine, TextEntity
from ...formats.report import NOWHERE, Report

_ID = re.compile(r"T\d+\S*")
# longer numbers are ids, but new ids do not continue them
_NUMBER = re.compile(r"T(\d{1,18})(?!\d)")
_EVENT = re.compile(r"(E\d+\S*\t)(\S+)")
# lines that refer to other lines
_REFERENCE = re.compile(r"(?:[AMN#RE]\d+\S*|\*)\t")


class BratFile:
    """An annotation file. It remembers deleted lines, so that entities can be restored together
    with their attributes, notes and relations. The text includes the byte order mark."""

    def __init__(self, content: bytes, text: str, where: str) -> None:
        decoded = decode(content, where)
        self.text = text
        # by id; they have surface texts only if these contradict the offsets
        self.entities: dict[str, TextEntity] = {}
        # entities with offsets outside the text, or with the id of another one
        self.n_hidden = 0
        self._bom = BOM if decoded.startswith(BOM) else ""
        self._lines = re.findall(r"[^\n]*\n|[^\n]+$", decoded.removeprefix(BOM))
        self._line_end = "\r\n" if self._lines and self._lines[0].endswith("\r\n") else "\n"
        # the lines in the file; deleted lines are empty
        self._current = self._lines
        self._line_of: dict[str, int] = {}
        self._deleted: set[str] = set()
        found, misfit = [], None
        for number, line in enumerate(self._lines):
            entity = parse_entity(BratLine(line.rstrip("\r\n"), NOWHERE))
            if entity is None or entity.id is None:
                continue
            if entity.id in self._line_of:
                self.n_hidden += 1
                continue
            found.append(entity)
            self._line_of[entity.id] = number
            surface = None if surface_fits(text, entity) else entity.surface
            misfit = misfit or (entity.id if surface else None)
            if fragments := clean_fragments(text, entity, Report()):
                self.entities[entity.id] = replace(entity, fragments=fragments, surface=surface)
            else:
                # kept as an unknown line
                self.n_hidden += 1
        if misfit and (
            choose_text(text, found, Report(), NOWHERE) != text
            or convert_offsets(text, found, Report(), NOWHERE) is not found
        ):
            raise GapDNERError(
                f"{where} counts line ends, emoji or a byte order mark differently than brat, "
                f"which would move {misfit}. Convert the folder first: convert FOLDER NEW --format "
                "brat --n-sents 0"
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

    def change(self, new: Iterable[TextEntity]) -> list[str]:
        """Replace all entities. New ones have no id. Unchanged entities keep their lines, and
        changed entities their ids. Returns the lines that were deleted or shortened because of
        deleted entities."""
        cleaned = [clean_entity(entity, self.text) for entity in new]
        numbers = Counter(entity.key for entity in cleaned)
        lines, entities, line_of = list(self._lines), {}, dict(self._line_of)
        triggers = {}
        for name, entity in zip(self._choose_ids(cleaned), cleaned, strict=True):
            old = self.entities.get(name)
            if old is not None and old.key == entity.key:
                entities[name] = old
                continue
            entities[name] = TextEntity(*entity.key, id=name)
            # repetitions in the file are kept
            if numbers[entity.key] > 1 and name not in line_of:
                raise GapDNERError(f"Repeated entity: {entity.label} at {entity.fragments}.")
            line = entity_line(name, *entity.key, self.text)
            if name in line_of:
                number = line_of[name]
                old_label = lines[number].split("\t")[1].split()[0]
                triggers[f"{old_label}:{name}"] = f"{entity.label}:{name}"
                lines[number] = line + _line_end(lines[number])
            else:
                if lines and not _line_end(lines[-1]):
                    lines[-1] += self._line_end
                line_of[name] = len(lines)
                lines.append(line + self._line_end)
        lines = [_with_trigger(line, triggers) for line in lines]
        known = [_with_trigger(line, triggers) for line in self._current]
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

    def _choose_ids(self, new: Sequence[TextEntity]) -> list[str]:
        given = [entity.id for entity in new if entity.id is not None]
        if len(set(given)) < len(given) or not all(map(_ID.fullmatch, given)):
            raise GapDNERError(f"Invalid entity ids: {', '.join(given)}. Use unique ids like T1.")
        taken = {*self._line_of, *given}
        numbers = (_NUMBER.match(name) for name in taken)
        highest = max((int(match[1]) for match in numbers if match), default=0)
        free = (name for number in count(highest + 1) if (name := f"T{number}") not in taken)
        return [entity.id or next(free) for entity in new]


def clean_entity(entity: TextEntity, text: str) -> TextEntity:
    """Normalize the fragments of an entity. Raises a GapDNERError if one is outside the text."""
    fragments = clean_fragments(text, entity, Report())
    if not fragments:
        raise GapDNERError(f"Invalid fragments of {entity.label}: {entity.fragments}.")
    return replace(entity, fragments=fragments)


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
