"""What brat files say of entities beside their type and offsets.

Attributes (A, M), notes (#) and normalisations (N) of entities go into their attrs, and come back.
The score of an entity is its first note, "score: 0.912345".
Relations, events and equivalences hold between entities; these, and what is said of them, are
counted in the report.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

from ..entities import DiscontinuousEntity
from ..entities.attributes import offer_extensions
from .files import with_unix_line_ends
from .records import TextEntity
from .report import BECOMES_TEXT, Action, Place, Report

# The attribute that holds the text of a note; several are lines of it
NOTE = "note"
# [AM]1 TAB NAME T1 [VALUE];  #1 TAB AnnotatorNotes T1 TAB TEXT;  N1 TAB Reference T1 DB:ID TAB NAME
_ATTRIBUTE = re.compile(r"[AM]\d+\S*\t(\S+) (\S+)(?: (\S+))?\s*")
_NOTE = re.compile(r"#\d+\S*\t(\S+) (\S+)\t(.*)")
# no more and no fewer digits, so that no note of a person is taken for it
_SCORE = re.compile(r"score: (0\.\d{6}|1\.0{6})")
_NORMALISATION = re.compile(r"N\d+\S*\t(\S+) (\S+) (\S+)(?:\t(.*))?")
# not a note without its number or a tab
_COMMENT = re.compile(r"#(?!\d+\S*\t|\S*\s+AnnotatorNotes\b)")
_REFERENCE = re.compile(r"[^\s:]+:\S+")
_BETWEEN_ENTITIES = {"R": "relation", "E": "event", "*": "equivalence"}
_OTHER_LINE = re.compile(r"[REAMN]\d+\S*\t|\*\t|#")


class Line(NamedTuple):
    """A line of an annotation file that is no entity.

    text (str): The line.
    place (Place): Where it stands.
    """

    text: str
    place: Place


def is_annotation(line: str) -> bool:
    """RETURNS (bool): Whether a line of an annotation file is of brat, and no entity."""
    return _OTHER_LINE.match(line) is not None


def attach(
    entities: Iterable[TextEntity], lines: Iterable[Line], report: Report
) -> list[TextEntity]:
    """Give entities what other lines say of them.

    entities (Iterable[TextEntity]): The entities of a document.
    lines (Iterable[Line]): The lines that are no entities.
    report (Report): Takes what entities cannot hold.
    RETURNS (list[TextEntity]): The entities, with attrs and scores.
    """
    entities = list(entities)
    attrs: dict[str, dict[str, Any]] = {}
    for entity in entities:
        if entity.id in attrs:
            message = f"{entity.id} names another entity, too: both get what is said of it"
            report.add("kept", "id given twice", message, entity.place, entity.fragments)
        elif entity.id:
            attrs[entity.id] = {}
    scores: dict[str, float] = {}
    for line in lines:
        problem = _hold(line.text, attrs, scores)
        if problem:
            report.add("dropped", problem, f"cannot hold {line.text[:60]!r}", line.place)
    offer_extensions(name for values in attrs.values() for name in values.get("_", ()))
    return [
        replace(e, attrs=deepcopy(attrs[e.id]), score=scores.get(e.id))
        if e.id and (attrs[e.id] or e.id in scores)
        else e
        for e in entities
    ]


def annotation_lines(
    name: str, entity: DiscontinuousEntity, numbers: Counter[str], report: Report, place: Place
) -> list[str]:
    """Write what an entity carries.

    name (str): Its id in the file.
    entity (DiscontinuousEntity): The entity.
    numbers (Counter[str]): How many lines of each letter the file has; counted on.
    report (Report): Takes what brat cannot have or changes.
    place (Place): The document, for the report.
    RETURNS (list[str]): Lines with their ends.
    """
    lines: list[str] = []

    def add(letter: str, content: str) -> None:
        numbers[letter] += 1
        lines.append(f"{letter}{numbers[letter]}\t{content}\n")

    def note(action: Action, kind: str, value: object) -> None:
        message = f"{entity.label_} {entity.text[:40]!r} has {value!r:.60}"
        report.add(action, kind, message, place, entity.fragments)

    if entity.kb_id_ and _REFERENCE.fullmatch(entity.kb_id_):
        kb_name = entity.attrs.get("kb_name")
        shown = " ".join(str(kb_name or entity.text).split())
        if kb_name and shown != kb_name:
            note("repaired", "whitespace in a name", kb_name)
        add("N", f"Reference {name} {entity.kb_id_}\t{shown}")
    elif entity.kb_id_:
        note("dropped", "normalisation without RESOURCE:ID", entity.kb_id_)
    elif kb_name := entity.attrs.get("kb_name"):
        note("dropped", "normalisation without RESOURCE:ID", kb_name)
    if entity.score is not None:
        add("#", f"AnnotatorNotes {name}\tscore: {entity.score:.6f}")
    for key, value in entity.attrs.get("_", {}).items():
        if key == NOTE and isinstance(value, str):
            lines_of_note = with_unix_line_ends(value)
            if lines_of_note != value:
                note("repaired", "line ends of a note", value)
            for text in lines_of_note.split("\n"):
                add("#", f"AnnotatorNotes {name}\t{text}")
        elif key == NOTE or not _is_word(key) or not _is_value(value):
            note("dropped", "attribute that brat cannot have", (key, value))
        elif value is True:
            add("A", f"{key} {name}")
        elif value is False or value is None:
            # to people who annotate, a flag that is not there says the same
            kind = f"flag that is {json.dumps(value)}, which brat leaves out"
            note("kept", kind, (key, value))
        else:
            add("A", f"{key} {name} {value}")
            if not isinstance(value, str):
                note("repaired", BECOMES_TEXT, (key, value))
    return lines


def annotation_conf(labels: Iterable[str], attributes: Mapping[str, set[str]]) -> str:
    """Write the file with which brat lets people correct the entities.

    labels (Iterable[str]): The types.
    attributes (Mapping[str, set[str]]): The values of each attribute; empty if it has none.
    RETURNS (str): Content of ``annotation.conf``.
    """
    lines = ["[entities]", *sorted(labels), "", "[relations]"]
    lines += ["# entities may overlap in any way"]
    lines += ["<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>"]
    lines += ["", "[events]", "", "[attributes]"]
    for name, values in sorted(attributes.items()):
        choice = f", Value:{'|'.join(sorted(values))}" if values else ""
        lines.append(f"{name}\tArg:<ENTITY>{choice}")
    return "\n".join(lines) + "\n"


def attribute_values(entity: DiscontinuousEntity) -> dict[str, str]:
    """RETURNS (dict[str, str]): The attributes that brat can have, with their values; "" for those
    that are true.
    """
    return {
        key: "" if value is True else str(value)
        for key, value in entity.attrs.get("_", {}).items()
        if key != NOTE and _is_word(key) and _is_value(value) and value not in (None, False)
    }


def _hold(line: str, attrs: Mapping[str, dict[str, Any]], scores: dict[str, float]) -> str | None:
    # Changes attrs and scores, by id of the entity; returns what is wrong
    if line[0] in _BETWEEN_ENTITIES:
        return _BETWEEN_ENTITIES[line[0]]
    if match := _ATTRIBUTE.fullmatch(line):
        name, target, value = match.groups()
        if target not in attrs:
            return _unknown("attribute", target)
        if name == NOTE:
            return "attribute with the name of notes"
        values = attrs[target].setdefault("_", {})
        if name in values:
            return "attribute given twice"
        values[name] = True if value is None else value
        return None
    if match := _NOTE.fullmatch(line):
        kind, target, text = match.groups()
        if target not in attrs:
            return _unknown("note", target)
        if kind != "AnnotatorNotes":
            return "note of another kind than AnnotatorNotes"
        score = _SCORE.fullmatch(text)
        if score and target not in scores and NOTE not in attrs[target].get("_", {}):
            scores[target] = float(score.group(1))
            return None
        values = attrs[target].setdefault("_", {})
        values[NOTE] = f"{values[NOTE]}\n{text}" if NOTE in values else text
        return None
    if match := _NORMALISATION.fullmatch(line):
        _, target, reference, shown = match.groups()
        if target not in attrs:
            return _unknown("normalisation", target)
        if "kb_id" in attrs[target]:
            return "normalisation given twice"
        attrs[target]["kb_id"] = reference
        if shown:
            attrs[target]["kb_name"] = shown
        return None
    return None if _COMMENT.match(line) else "malformed line"


def _unknown(what: str, target: str) -> str:
    kind = {"E": "an event", "R": "a relation"}.get(target[0], "an entity that is not there")
    return f"{what} of {kind}"


def _is_word(value: str) -> bool:
    return re.fullmatch(r"\S+", value) is not None


def _is_value(value: object) -> bool:
    return value is None or isinstance(value, int | float) or _is_text(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and _is_word(value)
