"""What brat files say of entities beside their type and offsets.

Attributes (A, M), notes (#) and normalizations (N) of entities go into their attrs, and come back.
The score of an entity is its first note, "score: 0.912345".
Relations, events and equivalences hold between entities; these, and what is said of them, stay with
the document, see `relations`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..entities import DiscontinuousEntity
from ..entities.attributes import offer_extensions
from .base import note_attribute
from .files import with_unix_line_ends
from .records import TextEntity
from .relations import Line, drop_line, targets_of
from .report import Place, Report

# The attribute that holds the text of a note; several are lines of it
NOTE = "note"
# [AM]1 TAB NAME T1 [VALUE];  #1 TAB AnnotatorNotes T1 TAB TEXT;  N1 TAB Reference T1 DB:ID TAB NAME
_ATTRIBUTE = re.compile(r"[AM]\d+\S*\t(\S+) (\S+)(?: (\S+))?\s*")
_NOTE = re.compile(r"#\d+\S*\tAnnotatorNotes (\S+)\t(.*)")
# no more and no fewer digits, so that no note of a person is taken for it
_SCORE = re.compile(r"score: (0\.\d{6}|1\.0{6})")
_NORMALIZATION = re.compile(r"N\d+\S*\t(\S+) (\S+) (\S+)(?:\t(.*))?")
_REFERENCE = re.compile(r"[^\s:]+:\S+")
_COMMENT = re.compile(r"#(?!\d+\S*\t|\S*\s+AnnotatorNotes\b)")


def attach(
    entities: Iterable[TextEntity], lines: Iterable[Line], report: Report
) -> tuple[list[TextEntity], list[Line]]:
    """Give entities what other lines say of them.

    entities (Iterable[TextEntity]): The entities of a document.
    lines (Iterable[Line]): The lines that are no entities.
    report (Report): Takes what entities cannot hold.
    RETURNS (tuple[list[TextEntity], list[Line]]): The entities, with attrs and scores; and the
        lines about several, or about such lines.
    """
    entities = list(entities)
    attrs: dict[str, dict[str, Any]] = {entity.id or "": {} for entity in entities}
    relations: list[Line] = []
    for line in lines:
        if _COMMENT.match(line.text) or _hold(line.text, attrs):
            continue
        if line.text[0] in "RE*" or "".join(targets_of(line.text)).startswith(("R", "E")):
            relations.append(line)
        else:
            drop_line(line, report)
    offer_extensions(name for values in attrs.values() for name in values.get("_", ()))
    scores = {name: values.pop("score", None) for name, values in attrs.items()}
    found = [
        replace(e, attrs=deepcopy(attrs[e.id or ""]), score=scores[e.id or ""]) for e in entities
    ]
    return found, relations


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

    kb_name = entity.attrs.get("kb_name")
    if _REFERENCE.fullmatch(entity.kb_id_):
        shown = " ".join(str(kb_name or entity.text).split())
        add("N", f"Reference {name} {entity.kb_id_}\t{shown}")
    elif entity.kb_id_ or kb_name:
        # an identifier is RESOURCE:ID
        note_attribute("dropped", entity, "kb_id", entity.kb_id_ or kb_name, report, place)
    if entity.score is not None:
        add("#", f"AnnotatorNotes {name}\tscore: {entity.score:.6f}")
    for key, value in entity.attrs.get("_", {}).items():
        if key == NOTE and isinstance(value, str):
            for text in with_unix_line_ends(value).split("\n"):
                add("#", f"AnnotatorNotes {name}\t{text}")
        elif value is False or value is None:
            note_attribute("kept", entity, key, value, report, place)
        elif key == NOTE or not re.fullmatch(r"\S+", key) or not _is_value(value):
            note_attribute("dropped", entity, key, value, report, place)
        elif value is True:
            add("A", f"{key} {name}")
        else:
            add("A", f"{key} {name} {value}")
            if not isinstance(value, str):
                note_attribute("repaired", entity, key, value, report, place)
    return lines


def annotation_conf(lines: Iterable[str]) -> str:
    """Write the file with which brat lets people correct annotation.

    lines (Iterable[str]): All lines of the annotation files.
    RETURNS (str): Content of ``annotation.conf``.
    """
    labels: set[str] = set()
    relations: dict[str, str] = {}
    events: dict[str, dict[str, None]] = {}
    attributes: dict[str, set[str]] = {}
    for letter, name, *words in ((line[0], *line.split()[1:]) for line in lines):
        roles = [word.partition(":")[0] for word in words]
        if letter == "T":
            labels.add(name)
        elif letter == "A":
            attributes.setdefault(name, set()).update(words[1:])
        elif letter == "R":
            relations[name] = ", ".join(f"{role}:<ENTITY>" for role in roles)
        elif letter == "*":
            relations[name] = "Arg1:<ENTITY>, Arg2:<ENTITY>, <REL-TYPE>:symmetric-transitive"
        elif letter == "E":
            kinds = events.setdefault(name.partition(":")[0], {})
            kinds.update(dict.fromkeys(f"{role}*:<ANY>" for role in roles))
    made = ["[entities]", *sorted(labels - events.keys()), "", "[relations]"]
    made += [f"{name}\t{kinds}" for name, kinds in sorted(relations.items())]
    made += ["# entities may overlap in any way"]
    made += ["<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>", "", "[events]"]
    made += [f"{name}\t{', '.join(kinds)}" for name, kinds in sorted(events.items())]
    made += ["", "[attributes]"]
    for name, values in sorted(attributes.items()):
        choice = f", Value:{'|'.join(sorted(values))}" if values else ""
        made.append(f"{name}\tArg:<ENTITY>{choice}")
    return "\n".join(made) + "\n"


def _hold(line: str, attrs: Mapping[str, dict[str, Any]]) -> bool:
    # changes attrs, by id of the entity; whether they can hold the line
    if match := _ATTRIBUTE.fullmatch(line):
        name, target, value = match.groups()
        if target not in attrs or name == NOTE or name in attrs[target].get("_", {}):
            return False
        attrs[target].setdefault("_", {})[name] = True if value is None else value
    elif match := _NOTE.fullmatch(line):
        target, text = match.groups()
        if target not in attrs:
            return False
        values = attrs[target]
        said = values.get("_", {}).get(NOTE)
        score = _SCORE.fullmatch(text)
        if score and said is None and "score" not in values:
            values["score"] = float(score[1])
        else:
            values.setdefault("_", {})[NOTE] = text if said is None else f"{said}\n{text}"
    elif match := _NORMALIZATION.fullmatch(line):
        _, target, reference, shown = match.groups()
        if target not in attrs or "kb_id" in attrs[target]:
            return False
        attrs[target]["kb_id"] = reference
        if shown:
            attrs[target]["kb_name"] = shown
    else:
        return False
    return True


def _is_value(value: object) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"\S+", value) is not None
    return isinstance(value, int | float) and value is not False
