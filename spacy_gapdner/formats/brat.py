"""brat standoff: a text file and its annotation file (.ann, or .a1 and .a2) per document.

Attributes (A, M), notes (#) and normalizations (N) of entities are stored in their attrs. The score
of an entity is its first note, "score: 0.912345". Relations, events and equivalences, with their
attributes and notes, are stored in the Doc, see `relations`.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import DiscontinuousEntity, Fragments, get_entities
from ..entities.attributes import offer_extensions
from ..errors import GapDNERError
from .docs import doc_place
from .files import input_files, read_text, with_unix_line_ends
from .linked_regions import choose_text, clean_entities
from .named_values import name_entities, note_attribute
from .outputs import filling, name_files, with_ending
from .records import TextEntity, TextRecord
from .relations import BratLine, drop_line, relation_lines, targets_of
from .report import Place, Report, reading

ANNOTATION_SUFFIXES = (".ann", ".a1", ".a2")
_RANGE = r"-?\d{1,18}\s+-?\d{1,18}"
_ENTITY = re.compile(rf"(T\d+\S*)\t(\S[^\t]*?)\s+({_RANGE}(?:\s*;\s*{_RANGE})*)\s*(?:\t(.*))?")
_OTHER_LINE = re.compile(r"[REAMN]\d+\S*\t|\*\t|#")
_CONF = "annotation.conf"
# the attribute with the text of an entity's notes, one per line
NOTE = "note"
# [AM]1 TAB NAME T1 [VALUE];  #1 TAB AnnotatorNotes T1 TAB TEXT;  N1 TAB Reference T1 DB:ID TAB NAME
_ATTRIBUTE = re.compile(r"[AM]\d+\S*\t(\S+) (\S+)(?: (\S+))?\s*")
_NOTE = re.compile(r"#\d+\S*\tAnnotatorNotes (\S+)\t(.*)")
# a fixed number of digits, so that annotators' notes are not read as scores
_SCORE = re.compile(r"score: (0\.\d{6}|1\.0{6})")
_NORMALIZATION = re.compile(r"N\d+\S*\t(\S+) (\S+) (\S+)(?:\t(.*))?")
_REFERENCE = re.compile(r"[^\s:]+:\S+")
_COMMENT = re.compile(r"#(?!\d+\S*\t|\S*\s+AnnotatorNotes\b)")


def read_brat(
    path: Path, report: Report, done: Collection[str] | None = None
) -> Iterator[TextRecord]:
    """Read brat standoff: a folder with text and annotation files at any depth, or one of these
    files. Documents are named by their paths in the folder. If `done` is given, only these
    documents are read.
    """
    files = input_files(path, (".txt", *ANNOTATION_SUFFIXES))
    if path.is_dir() and not any(file.suffix in ANNOTATION_SUFFIXES for file in files):
        raise GapDNERError(f"{path} contains no .ann, .a1 or .a2 file. Is it brat standoff?")
    root = path if path.is_dir() else path.parent
    for stem in sorted({file.with_suffix("") for file in files}, key=Path.as_posix):
        name = stem.relative_to(root).as_posix()
        if done is not None and name not in done:
            continue
        with reading(report, Place(str(with_ending(stem, ".txt")), None, name)):
            yield read_document(stem, name, report)


def has_annotations(path: Path) -> bool:
    """RETURNS (bool): Whether a file is an annotation file, or a text with an annotation file."""
    if path.suffix in ANNOTATION_SUFFIXES:
        return True
    return any(path.with_suffix(suffix).is_file() for suffix in ANNOTATION_SUFFIXES)


def write_brat(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a .txt and an .ann file per Doc and, unless the folder has one, an ``annotation.conf``
    with the types and attributes.
    """
    kinds: dict[tuple[str, ...], None] = {}
    number = 0
    with filling(path) as temporary:
        for doc, stem in name_files(docs, temporary):
            number += 1
            lines = _document_lines(doc, spans_key, report)
            kinds.update(dict.fromkeys(map(_kind, lines)))
            with_ending(stem, ".txt").write_bytes(doc.text.encode("utf-8"))
            with_ending(stem, ".ann").write_bytes("".join(lines).encode("utf-8"))
        if kinds and not (path / _CONF).exists():
            (temporary / _CONF).write_text(_annotation_conf(kinds), encoding="utf-8")
    return number


def parse_entity(line: BratLine) -> TextEntity | None:
    """RETURNS (Optional[TextEntity]): The entity of a line; None for other lines."""
    match = _ENTITY.fullmatch(line.text)
    if match is None:
        return None
    name, label, ranges, surface = match.groups()
    numbers = [int(n) for n in re.findall(r"-?\d+", ranges)]
    fragments = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    surface = surface if surface and surface.strip() else None
    return TextEntity(label, fragments, name, line.place, surface)


def entity_line(name: str, label: str, fragments: Fragments, text: str) -> str:
    """RETURNS (str): The line of an entity. Fragments are split at the line ends of the text, as in
    brat; a GapDNERError if brat does not allow the label.
    """
    if not re.fullmatch(r"\S+", label):
        raise GapDNERError(
            f"brat does not allow the label {label!r}, which is empty or contains whitespace. "
            "Rename it."
        )
    pieces = [
        (start + match.start(), start + match.end())
        for start, end in fragments
        for match in re.finditer(r"[^\r\n]+", text[start:end])
        if match[0].strip()
    ]
    offsets = ";".join(f"{start} {end}" for start, end in pieces)
    surface = " ".join(text[start:end] for start, end in pieces)
    return f"{name}\t{label} {offsets}\t{surface}"


def read_document(stem: Path, name: str, report: Report) -> TextRecord:
    """RETURNS (TextRecord): The document whose files have this path without extension."""
    text_path = with_ending(stem, ".txt")
    place = Place(str(text_path), None, name)
    annotations = [with_ending(stem, suffix) for suffix in ANNOTATION_SUFFIXES]
    annotations = [file for file in annotations if file.is_file()]
    if not text_path.is_file() and annotations:
        raise GapDNERError(
            f"{annotations[0]} has no text: there is no file {text_path}. Add it or remove the "
            "annotation file."
        )
    text = read_text(text_path, report, keep_bom=True)
    if not annotations:
        message = f"{name} has no annotation file, so it is read without entities"
        report.add("kept", "no annotation file", message, place)
    entities: list[TextEntity] = []
    others: list[BratLine] = []
    for file in annotations:
        found, said = _read_file(file, name, report)
        entities += found
        others += said
    entities, relations = _attach(entities, others, report)
    text = choose_text(text, entities, report, place)
    cleaned = clean_entities(text, entities, report)
    return TextRecord(name, text, cleaned, str(text_path), relations=tuple(relations))


def _read_file(
    path: Path, document: str, report: Report
) -> tuple[list[TextEntity], list[BratLine]]:
    entities: list[TextEntity] = []
    others: list[BratLine] = []
    # a file with malformed lines only has another format
    malformed: list[BratLine] = []
    for number, raw in enumerate(read_text(path, report).split("\n"), start=1):
        line = BratLine(raw.rstrip("\r"), Place(str(path), number, document))
        if _OTHER_LINE.match(line.text):
            others.append(line)
        elif entity := parse_entity(line):
            entities.append(entity)
        elif line.text.strip():
            malformed.append(line)
    is_brat = entities or others or any(re.match(r"T\d+\s", line.text) for line in malformed)
    if malformed and not is_brat:
        raise GapDNERError(
            f"{malformed[0].place} is not brat standoff (ID, tab, TYPE START END, tab, text): "
            f"{malformed[0].text[:60]!r}. Choose the right format."
        )
    for line in malformed:
        report.add("dropped", "malformed line", f"cannot read {line.text[:60]!r}", line.place)
    return entities, others


def _attach(
    entities: Iterable[TextEntity], lines: Iterable[BratLine], report: Report
) -> tuple[list[TextEntity], list[BratLine]]:
    # returns the entities with attrs and scores, and the lines to store in the Doc
    entities = list(entities)
    attrs: dict[str, dict[str, Any]] = {entity.id or "": {} for entity in entities}
    relations: list[BratLine] = []
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


def _hold(line: str, attrs: Mapping[str, dict[str, Any]]) -> bool:
    # adds the line to the attrs of its entity and returns whether they can store it
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


def _document_lines(doc: Doc, spans_key: str, report: Report) -> list[str]:
    # Doc.text is computed each time
    place, text = doc_place(doc), doc.text
    entities = []
    for entity in get_entities(doc, spans_key):
        words = [span for span in entity.spans if span.text.strip()]
        message = f"{entity.label_} at tokens {entity.fragments}"
        if not words:
            report.add("dropped", "entity of whitespace", message, place, entity.fragments)
            continue
        if len(words) < len(entity.spans):
            report.add("repaired", "fragment of whitespace", message, place, entity.fragments)
        entities.append(entity)
    lines: list[str] = []
    numbers: Counter[str] = Counter()
    names = name_entities(entities, report, place, r"T\d+")
    for name, entity in zip(names, entities, strict=True):
        spans = tuple((span.start_char, span.end_char) for span in entity.spans)
        lines.append(entity_line(name, entity.label_, spans, text) + "\n")
        lines.extend(_annotation_lines(name, entity, numbers, report, place))
    ids = {entity.id_: name for name, entity in zip(names, entities, strict=True)}
    return [*lines, *relation_lines(doc, ids, numbers, report, place)]


def _kind(line: str) -> tuple[str, ...]:
    # the letter, type and roles or values of a line, without ids
    letter, *words = line[0], *line.split()[1:]
    if letter in "RE":
        return letter, *(word.partition(":")[0] for word in words)
    return letter, words[0], *(words[2:] if letter == "A" else ())


def _annotation_lines(
    name: str, entity: DiscontinuousEntity, numbers: Counter[str], report: Report, place: Place
) -> list[str]:
    # numbers counts the lines with each letter
    lines: list[str] = []

    def add(letter: str, content: str) -> None:
        numbers[letter] += 1
        lines.append(f"{letter}{numbers[letter]}\t{content}\n")

    kb_name = entity.attrs.get("kb_name")
    if _REFERENCE.fullmatch(entity.kb_id_):
        shown = " ".join(str(kb_name or entity.text).split())
        add("N", f"Reference {name} {entity.kb_id_}\t{shown}")
    elif entity.kb_id_ or kb_name:
        # brat requires RESOURCE:ID
        note_attribute("dropped", entity, "kb_id", entity.kb_id_ or kb_name, report, place)
    if entity.score is not None:
        add("#", f"AnnotatorNotes {name}\tscore: {entity.score:.6f}")
    for key, value in entity.attrs.get("_", {}).items():
        if key == NOTE and isinstance(value, str):
            for text in with_unix_line_ends(value).split("\n"):
                add("#", f"AnnotatorNotes {name}\t{text}")
        elif value is False or value is None:
            note_attribute("kept", entity, key, value, report, place)
        elif (
            key == NOTE
            or not isinstance(value, str | int | float)
            or not re.fullmatch(r"\S+ \S+", f"{key} {value}")
        ):
            note_attribute("dropped", entity, key, value, report, place)
        elif value is True:
            add("A", f"{key} {name}")
        else:
            add("A", f"{key} {name} {value}")
            if not isinstance(value, str):
                note_attribute("repaired", entity, key, value, report, place)
    return lines


def _annotation_conf(kinds: Iterable[tuple[str, ...]]) -> str:
    # the configuration with which brat displays and edits the annotation
    found: dict[str, dict[str, dict[str, None]]] = {letter: {} for letter in "TARE*#N"}
    for letter, name, *others in kinds:
        found[letter].setdefault(name, {}).update(dict.fromkeys(others))
    relations = {
        name: ", ".join(f"{role}:<ENTITY>" for role in roles) for name, roles in found["R"].items()
    }
    for name in found["*"]:
        relations[name] = "Arg1:<ENTITY>, Arg2:<ENTITY>, <REL-TYPE>:symmetric-transitive"
    made = ["[entities]", *sorted(found["T"].keys() - found["E"].keys()), "", "[relations]"]
    made += [f"{name}\t{arguments}" for name, arguments in sorted(relations.items())]
    made += ["# entities may overlap in any way"]
    made += ["<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>", "", "[events]"]
    for name, roles in sorted(found["E"].items()):
        made.append(f"{name}\t{', '.join(f'{role}*:<ANY>' for role in roles)}")
    made += ["", "[attributes]"]
    for name, values in sorted(found["A"].items()):
        choice = f", Value:{'|'.join(sorted(values))}" if values else ""
        made.append(f"{name}\tArg:<ENTITY>{choice}")
    return "\n".join(made) + "\n"
