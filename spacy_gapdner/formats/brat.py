"""Read and write brat standoff: a text file and its annotation file (.ann, or .a1 and .a2) per
document.

Attributes (A, M), notes (#) and normalizations (N) of entities are stored in their attrs. The score
of an entity is its first note, "score: 0.912345". Relations, events and equivalences, with their
attributes and notes, are stored in the Doc, and so are the ids and the order of all lines.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import DiscontinuousEntity, get_entities
from ..errors import GapDNERError, visible
from .attributes import drop_attribute, name_entities
from .brat_lines import (
    entity_line,
    find_entities_within,
    keep_relations,
    parse_entity,
    referent_of,
    targets_of,
)
from .cleaning import choose_text, clean_entities, convert_offsets
from .docs import BLANK, doc_place
from .files import hide_bom, input_files, read_lines, read_text, with_unix_line_ends
from .outputs import with_ending, write_files, write_parts
from .records import DOC_LINE_IDS, DOC_RELATIONS, BratLine, TextEntity, TextRecord
from .report import Place, Report, printable, reading

ANNOTATION_SUFFIXES = (".ann", ".a1", ".a2")
# with a folder per annotator of a shared folder; hidden, so that its texts are not listed
SHARED = ".annotators"
# the attribute with the text of an entity's notes, one per line
NOTE = "note"

_LINE = re.compile(r"T\d+\S*\s|[REAMN]\d+\S*\t|\*\t|#")
# [AM]1 TAB NAME T1 [VALUE];  #1 TAB AnnotatorNotes T1 TAB TEXT;  N1 TAB Reference T1 DB:ID TAB NAME
_ATTRIBUTE = re.compile(r"[AM]\d+\S*\t(\S+) \S+(?: (\S+))?\s*")
_NOTE = re.compile(r"#\d+\S*\tAnnotatorNotes \S+\t(.*)")
# a fixed number of digits, so that annotators' notes are not read as scores
_SCORE = re.compile(r"score: (0\.\d{6}|1\.0{6})")
_NORMALIZATION = re.compile(r"N\d+\S*\t\S+ \S+ (\S+)(?:\t(.*))?")
_WORDS = re.compile(r"\S+ \S+(?: \S+)?")
_REFERENCE = re.compile(r"[^\s:]+:\S+")
_COMMENT = re.compile(r"#(?!\d+\S*\t|\S*\s+AnnotatorNotes\b)")


def read_brat(
    path: Path, report: Report, done: Collection[str] | None = None
) -> Iterator[TextRecord]:
    """Read brat standoff: a folder with text and annotation files at any depth, or one of these
    files. Documents are named by their paths in the folder. If `done` is given, only these
    documents are read. Control characters in their names can be escaped.
    """
    suffixes = (".txt", *ANNOTATION_SUFFIXES)
    files = input_files(path, suffixes)
    if files == [path] and path.suffix not in suffixes:
        raise GapDNERError(f"{path} is not brat standoff. Use a folder, or a .txt or .ann file.")
    if path.is_dir() and not any(file.suffix in ANNOTATION_SUFFIXES for file in files):
        raise GapDNERError(f"{path} contains no .ann, .a1 or .a2 file. Is it brat standoff?")
    root = path if path.is_dir() else path.parent
    for stem in sorted({file.with_suffix("") for file in files}, key=Path.as_posix):
        name = stem.relative_to(root).as_posix()
        if done is None or name in done or visible(printable(name)) in done:
            with reading(report, Place(str(with_ending(stem, ".txt")), None, name)):
                yield read_document(stem, name, report)


def has_annotations(path: Path) -> bool:
    """RETURNS (bool): Whether a file is an annotation file, or a text with an annotation file."""
    return any(path.with_suffix(suffix).is_file() for suffix in ANNOTATION_SUFFIXES)


def shared_hint(folder: Path) -> str:
    """RETURNS (str): What to do if the annotation of a shared folder is in other folders, or ""."""
    people = sorted(path for path in (folder / SHARED).glob("*") if path.is_dir())
    return f"Use the folder of an annotator, such as {people[0]}." if people else ""


def write_brat(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a .txt and an .ann file per Doc, and ``annotation.conf`` unless the folder has one."""
    # the names of types and attributes, with the roles of arguments and the values of attributes
    kinds: dict[str, dict[str, dict[str, None]]] = {"T": {}, "R": {}, "E": {}, "A": {}}

    def render(doc: Doc) -> dict[str, str]:
        lines = _document_lines(doc, spans_key, report)
        for line in (line for line in lines if line[0] in kinds):
            name, values = _describe(line)
            kinds[line[0]].setdefault(name, {}).update(dict.fromkeys(values))
        return {".txt": doc.text, ".ann": "".join(lines)}

    number = write_files(docs, path, render, report)
    conf = path / "annotation.conf"
    if any(kinds.values()) and not conf.exists():
        write_parts(conf, [_annotation_conf(kinds)])
    return number


def read_document(stem: Path, name: str, report: Report) -> TextRecord:
    """RETURNS (TextRecord): The document whose files have this path without extension."""
    text_path = with_ending(stem, ".txt")
    place = Place(str(text_path), None, name)
    files = [f for f in (with_ending(stem, s) for s in ANNOTATION_SUFFIXES) if f.is_file()]
    if not text_path.is_file() and files:
        raise GapDNERError(f"{files[0]} has no text. Add {text_path}, or remove the annotation.")
    text = read_text(text_path, keep_bom=True)
    if not files:
        message = f"{name} has no annotation file, so it is read without entities"
        report.add("kept", "no annotation file", message, place)
    lines = [line for file in files for line in _read_lines(file, name, report)]
    entities, relations, line_ids = _parse(lines, report)
    text = hide_bom(choose_text(text, entities, report, place))
    cleaned = clean_entities(text, convert_offsets(text, entities, report, place), report)
    return TextRecord(name, text, cleaned, str(text_path), {}, tuple(relations), tuple(line_ids))


def _read_lines(path: Path, document: str, report: Report) -> list[BratLine]:
    lines = []
    for number, text in enumerate(read_lines(path), start=1):
        place = Place(str(path), number, document)
        within = find_entities_within(text)
        for start in within:
            message = f"no line end before {text[start : start + 60]!r}"
            report.add("dropped", "entity without its own line", message, place)
        lines.append(BratLine(text[: within[0]] if within else text, place))
    lines = [line for line in lines if line.text.strip()]
    if lines and not any(_LINE.match(line.text) for line in lines):
        raise GapDNERError(
            f"{lines[0].place} is not brat standoff (ID, tab, TYPE START END, tab, text): "
            f"{lines[0].text[:60]!r}. Choose the right format."
        )
    return lines


def _parse(
    lines: Iterable[BratLine], report: Report
) -> tuple[list[TextEntity], list[BratLine], list[str]]:
    # returns the entities with attrs and scores, the lines to store in the Doc, and the line ids
    given = [(line, parse_entity(line)) for line in lines]
    attrs: dict[str | None, dict[str, Any]] = {e.id: {} for _, e in given if e is not None}
    entities: list[TextEntity] = []
    relations: list[BratLine] = []
    line_ids: list[str] = []
    seen: set[str | None] = set()
    for line, entity in given:
        name = line.text.split("\t")[0]
        if entity is not None:
            if name in seen:
                message = f"{entity.label} loses the id {name}, which another entity has"
                report.add("repaired", "repeated id", message, line.place)
                entity, name = replace(entity, id=None), ""
            seen.add(name)
            entities.append(entity)
            line_ids.append(name)
        elif line.text[0] == "T" or not _LINE.match(line.text):
            report.add("dropped", "malformed line", f"cannot read {line.text[:60]!r}", line.place)
        elif not _COMMENT.match(line.text):
            target = "".join(targets_of(line.text))
            if _store(line.text, attrs):
                line_ids.append(f"{name} {target}")
            # attrs cannot store every line of an entity, such as other notes
            elif line.text[0] in "RE*" or target.startswith(("R", "E")) or target in attrs:
                relations.append(line)
                line_ids.append(name)
            else:
                line.drop(report)
    scores = {name: values.pop("score", None) for name, values in attrs.items()}
    found = [replace(e, attrs=attrs.get(e.id, {}), score=scores.get(e.id)) for e in entities]
    return found, relations, line_ids


def _store(line: str, attrs: dict[str | None, dict[str, Any]]) -> bool:
    # adds the line to the attrs of its entity and returns whether they can store it
    values = attrs.get("".join(targets_of(line)))
    if values is None:
        return False
    others = values.get("_", {})
    if match := _ATTRIBUTE.fullmatch(line):
        name, value = match.groups()
        if name == NOTE or name in others:
            return False
        values["_"] = others | {name: True if value is None else value}
    elif match := _NOTE.fullmatch(line):
        text, score = match[1], _SCORE.fullmatch(match[1])
        if score and NOTE not in others and "score" not in values:
            values["score"] = float(score[1])
        else:
            note = f"{others[NOTE]}\n{text}" if NOTE in others else text
            values["_"] = others | {NOTE: note}
    elif referent := referent_of(line):
        values.setdefault("kb_id", referent[1])
        # attrs do not store the resource
        return False
    elif (match := _NORMALIZATION.fullmatch(line)) and "kb_id" not in values:
        values["kb_id"] = match[1]
        if name := " ".join((match[2] or "").split()):
            values["kb_name"] = name
    else:
        return False
    return True


def _document_lines(doc: Doc, spans_key: str, report: Report) -> list[str]:
    # Doc.text is computed each time
    place, text = doc_place(doc), doc.text
    shown = []
    for entity in get_entities(doc, spans_key):
        if entity.text.strip():
            shown.append(entity)
        else:
            message = f"{entity.label_} at tokens {entity.fragments}"
            report.add("dropped", BLANK, message, place, entity.char_fragments)
    named = name_entities(shown, report, place, r"T\d+")
    if all(name == entity.id_ for name, entity in named):
        # brat numbers entities in the order of the lines
        named.sort(key=lambda pair: (len(pair[0]), pair[0]))
    relations = [BratLine(line, place) for line in doc.user_data.get(DOC_RELATIONS, ())]
    referents = {referent_of(line.text) for line in relations}
    lines = _Lines(doc.user_data.get(DOC_LINE_IDS, ()))
    for name, entity in named:
        lines.add(name, entity_line(name, entity.label_, entity.char_fragments, text))
        has_line = name == entity.id_ and (name, entity.kb_id_) in referents
        for letter, content in _annotations(name, entity, report, place, has_line):
            lines.add(f"{letter} {name}", f"{letter}\t{content}")
    homes = {name: 0 for name, entity in named if name == entity.id_}
    for line in keep_relations(relations, homes, 1, report)[0]:
        lines.add(line.split("\t")[0], line)
    return lines.in_order()


class _Lines:
    """The lines of an annotation file, in the order of the file that was read, and with its ids.
    New attributes, notes and normalizations are numbered, and new lines come last.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        self._lines: list[tuple[float, str]] = []
        # the position and the id of the next line, by its kind and entity, or by its id
        self._known: defaultdict[str, deque[tuple[int, str]]] = defaultdict(deque)
        self._numbers: Counter[str] = Counter()
        for position, line_id in enumerate(filter(None, ids)):
            name, _, target = line_id.partition(" ")
            letter = name[0].replace("M", "A")
            self._known[f"{letter} {target}" if target else name].append((position, name))
            if match := re.match(r"\d{1,9}", name[1:]):
                self._numbers[letter] = max(self._numbers[letter], int(match[0]))

    def add(self, key: str, line: str) -> None:
        position, name = self._known[key].popleft() if self._known[key] else (inf, "")
        letter = line[0].replace("M", "A")
        if not name and letter in "AN#":
            self._numbers[letter] += 1
            name = f"{line[0]}{self._numbers[letter]}"
        content = line.partition("\t")[2]
        self._lines.append((position, f"{name}\t{content}\n" if name else f"{line}\n"))

    def in_order(self) -> list[str]:
        return [line for _, line in sorted(self._lines, key=itemgetter(0))]


def _annotations(
    name: str, entity: DiscontinuousEntity, report: Report, place: Place, has_referent: bool
) -> Iterator[tuple[str, str]]:
    # yields the letters and contents of the lines about an entity
    kb_name = entity.attrs.get("kb_name")
    if _REFERENCE.fullmatch(entity.kb_id_) and not has_referent:
        shown = " ".join(str(kb_name or "").split())
        yield "N", f"Reference {name} {entity.kb_id_}\t{shown}"
    elif (entity.kb_id_ or kb_name) and not has_referent:
        # brat requires RESOURCE:ID
        drop_attribute(entity, "kb_id", entity.kb_id_ or kb_name, report, place)
    if entity.score is not None:
        yield "#", f"AnnotatorNotes {name}\tscore: {entity.score:.6f}"
    for key, value in entity.attrs.get("_", {}).items():
        content = f"{key} {name}" if value is True else f"{key} {name} {value}"
        if key == NOTE and isinstance(value, str):
            for text in with_unix_line_ends(value).split("\n"):
                yield "#", f"AnnotatorNotes {name}\t{text}"
        elif key != NOTE and isinstance(value, str | int | float) and _WORDS.fullmatch(content):
            # brat has no attributes that are false
            if value is not False:
                yield "A", content
        elif value is not None:
            drop_attribute(entity, key, value, report, place)


def _describe(line: str) -> tuple[str, list[str]]:
    # the name of a type or attribute, and the roles of its arguments or its value
    _, name, *words = line.split()
    if line[0] in "TA":
        return name, words[1:2] if line[0] == "A" else []
    if line[0] == "R":
        return name, [word.partition(":")[0] for word in words]
    # arguments of an event with the same role have numbers
    return name.partition(":")[0], [re.sub(r"\d*:.*", "", word) for word in words]


def _annotation_conf(kinds: Mapping[str, Mapping[str, Collection[str]]]) -> str:
    events = kinds["E"]
    # triggers of events are not entities
    lines = ["[entities]", *sorted(kinds["T"].keys() - events.keys()), "", "[relations]"]
    for name, roles in sorted(kinds["R"].items()):
        lines.append(f"{name}\t{':<ENTITY>, '.join([*roles][:2])}:<ENTITY>")
    lines += ["# entities may overlap in any way"]
    lines += ["<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>", "", "[events]"]
    for name, roles in sorted(events.items()):
        lines.append(f"{name}\t{', '.join(f'{role}*:<ANY>' for role in roles)}".rstrip())
    lines += ["", "[attributes]"]
    for name, values in sorted(kinds["A"].items()):
        choices = f", Value:{'|'.join(sorted(values))}" if values else ""
        lines.append(f"{name}\tArg:{'<ANY>' if events else '<ENTITY>'}{choices}")
    return "\n".join(lines) + "\n"
