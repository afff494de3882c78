"""brat standoff: a text file and its annotation file (.ann, or .a1 and .a2) a document."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities
from ..errors import GapDNERError
from .brat_annotations import (
    Line,
    annotation_conf,
    annotation_lines,
    attach,
    attribute_values,
    is_annotation,
)
from .docs import DOC_NAME
from .files import read_text, visible_files
from .fragments import choose_text, clean_entities
from .from_docs import report_replaced_ids
from .names import free_names, name_file, with_ending
from .outputs import filling
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

ANNOTATION_SUFFIXES = (".ann", ".a1", ".a2")
_RANGE = r"-?\d{1,18}\s+-?\d{1,18}"
_TYPE_AND_OFFSETS = re.compile(rf"(\S.*?)\s+({_RANGE}(?:\s*;\s*{_RANGE})*)\s*")
_CONF = "annotation.conf"
_ENTITY_WITHIN = re.compile(rf"T\d+\t\S+ {_RANGE}(?:;{_RANGE})*\t")


def read_brat(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read brat standoff, one document at a time.

    Entities carry their attributes, notes and normalisations; relations, events and equivalences
    are reported as dropped.

    path (Path): A folder with text and annotation files at any depth, or one of these files.
    report (Report): Takes what is dropped or repaired.
    YIELDS (TextRecord): Documents by the order of their names: paths within the folder, without
        suffix.
    RAISES (GapDNERError): If there is no annotation file, an annotation file has no text, or a
        file is not what its name says.
    """
    path = Path(path)
    if path.is_dir():
        files = visible_files(path, (".txt", *ANNOTATION_SUFFIXES))
        stems = sorted({file.with_suffix("") for file in files}, key=Path.as_posix)
        if not any(file.suffix in ANNOTATION_SUFFIXES for file in files):
            raise GapDNERError(f"{path} holds no .ann, .a1 or .a2 file. Is it brat standoff?")
        root = path
    elif path.exists():
        if path.suffix not in (".txt", *ANNOTATION_SUFFIXES):
            raise GapDNERError(f"{path} is neither .txt nor .ann, .a1 or .a2. Check the format.")
        stems, root = [path.with_suffix("")], path.parent
    else:
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    for stem in stems:
        name = stem.relative_to(root).as_posix()
        with reading(report, Place(str(with_ending(stem, ".txt")), None, name)):
            yield _read_document(stem, name, report)


def has_annotations(path: Path) -> bool:
    """Find out whether a file is brat's, by its name and what lies beside it.

    path (Path): The file.
    RETURNS (bool): True for an annotation file, and for a text with one beside it.
    """
    if path.suffix in ANNOTATION_SUFFIXES:
        return True
    return any(path.with_suffix(suffix).is_file() for suffix in ANNOTATION_SUFFIXES)


def write_brat(
    docs: Iterable[Doc],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write a .txt and an .ann file per Doc, all or none; fragments are cut at line ends, as brat
    does. An ``annotation.conf`` lists types and attributes, unless the folder has one.

    docs (Iterable[Doc]): Docs with entities.
    path (Path): The folder; it is made, and files of the same name in it are replaced.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes the entities of whitespace alone, and the attributes and ids
        that brat cannot have or changes.
    RETURNS (int): The number of documents written.
    RAISES (GapDNERError): If a label cannot stand in the format.
    """
    report = Report() if report is None else report
    taken: Counter[str] = Counter()
    labels: set[str] = set()
    attributes: dict[str, set[str]] = {}
    number = 0
    with filling(Path(path)) as temporary:
        for number, doc in enumerate(docs, start=1):
            entities = _writable_entities(doc, spans_key, report)
            lines = _document_lines(doc, entities, report)
            labels.update(entity.label_ for entity in entities)
            for key, value in (pair for e in entities for pair in attribute_values(e).items()):
                attributes.setdefault(key, set()).update({value} - {""})
            stem = name_file(doc, number, taken, temporary)
            with_ending(stem, ".txt").write_bytes(doc.text.encode("utf-8"))
            with_ending(stem, ".ann").write_bytes("".join(lines).encode("utf-8"))
            _report_name(doc, stem.relative_to(temporary).as_posix(), report)
        if labels and not (Path(path) / _CONF).exists():
            (temporary / _CONF).write_text(annotation_conf(labels, attributes), encoding="utf-8")
    return number


def _read_document(stem: Path, name: str, report: Report) -> TextRecord:
    text_path = with_ending(stem, ".txt")
    annotations = [with_ending(stem, suffix) for suffix in ANNOTATION_SUFFIXES]
    annotations = [file for file in annotations if file.is_file()]
    if not text_path.is_file() and annotations:
        raise GapDNERError(
            f"{annotations[0]} has no text: there is no file {text_path}. Add it or remove the "
            "annotation file."
        )
    text = read_text(text_path, keep_bom=True)
    if not annotations:
        message = f"{name} has a text but no annotation file: taken as without entities"
        report.add("kept", "no annotation file", message, Place(str(text_path), None, name))
    entities: list[TextEntity] = []
    others: list[Line] = []
    for file in annotations:
        found, said = _read_file(file, name, report)
        entities += found
        others += said
    entities = attach(entities, others, report)
    text = choose_text(text, entities, report, Place(str(text_path), None, name))
    return TextRecord(name, text, clean_entities(text, entities, report), str(text_path))


def _read_file(path: Path, document: str, report: Report) -> tuple[list[TextEntity], list[Line]]:
    entities = []
    others: list[Line] = []
    # malformed lines wait: a file that has no other is of another format
    malformed: list[tuple[str, Place]] = []
    recognised = False
    for number, raw in enumerate(read_text(path, report).split("\n"), start=1):
        line, place = raw.rstrip("\r"), Place(str(path), number, document)
        if not line.strip():
            continue
        if is_annotation(line):
            recognised = True
            others.append(Line(line, place))
            if _ENTITY_WITHIN.search(line):
                # two lines that run together
                malformed.append((line, place))
            continue
        entity = _parse_entity(line, place)
        if entity is None:
            malformed.append((line, place))
            recognised = recognised or re.match(r"T\d+\s", line) is not None
        else:
            recognised = True
            entities.append(entity)
    if malformed and not recognised:
        raise GapDNERError(
            f"{malformed[0][1]} is not brat standoff (ID, tab, TYPE START END, tab, text): "
            f"{malformed[0][0][:60]!r}. Choose the right format."
        )
    for line, place in malformed:
        report.add("dropped", "malformed line", f"cannot read {line[:60]!r}", place)
    return entities, others


def _parse_entity(line: str, place: Place) -> TextEntity | None:
    fields = line.split("\t", 2)
    if len(fields) < 2 or not re.fullmatch(r"T\d+\S*", fields[0]):
        return None
    match = _TYPE_AND_OFFSETS.fullmatch(fields[1])
    if match is None:
        return None
    numbers = [int(n) for n in re.findall(r"-?\d+", match.group(2))]
    fragments = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    surface = fields[2] if len(fields) == 3 and fields[2].strip() else None
    return TextEntity(match.group(1), fragments, fields[0], place, surface)


def _writable_entities(doc: Doc, spans_key: str, report: Report) -> list[DiscontinuousEntity]:
    entities = []
    place = Place(None, None, doc.user_data.get(DOC_NAME))
    for entity in get_entities(doc, spans_key):
        n_words = sum(bool(span.text.strip()) for span in entity.spans)
        if not n_words:
            message = f"{entity.label_} covers nothing but whitespace"
            report.add("dropped", "entity of whitespace", message, place, entity.fragments)
            continue
        if n_words < len(entity.spans):
            message = f"{entity.label_} {entity.text[:40]!r} loses a fragment of whitespace"
            report.add("repaired", "fragment of whitespace", message, place, entity.fragments)
        entities.append(entity)
    return entities


def _document_lines(doc: Doc, entities: list[DiscontinuousEntity], report: Report) -> list[str]:
    lines: list[str] = []
    numbers: Counter[str] = Counter()
    place = Place(None, None, doc.user_data.get(DOC_NAME))
    # Doc.text is put together anew each time
    text = doc.text
    names = list(_entity_names(entities))
    for name, entity in zip(names, entities, strict=True):
        lines.append(_entity_line(name, entity, text))
        lines.extend(annotation_lines(name, entity, numbers, report, place))
    report_replaced_ids(entities, names, report, place)
    return lines


def _report_name(doc: Doc, name: str, report: Report) -> None:
    given = doc.user_data.get(DOC_NAME)
    if given and name != given:
        message = f"{given!r:.80} -> {name!r:.80}"
        report.add("repaired", "document name changed", message, Place(None, None, given))


def _entity_names(entities: list[DiscontinuousEntity]) -> Iterator[str]:
    # those that came from a file keep their own
    given = Counter(entity.id_ for entity in entities)
    kept = {name for name, n in given.items() if n == 1 and re.fullmatch(r"T\d+", name)}
    free = free_names(kept)
    for entity in entities:
        yield entity.id_ if entity.id_ in kept else next(free)


def _entity_line(name: str, entity: DiscontinuousEntity, text: str) -> str:
    if re.search(r"\s", entity.label_):
        raise GapDNERError(
            f"brat cannot have the label {entity.label_!r}: it holds whitespace. Rename it."
        )
    pieces = [
        (span.start_char + match.start(), span.start_char + match.end())
        for span in entity.spans
        for match in re.finditer(r"[^\r\n]+", span.text)
    ]
    pieces = [(start, end) for start, end in pieces if text[start:end].strip()]
    offsets = ";".join(f"{start} {end}" for start, end in pieces)
    surface = " ".join(text[start:end] for start, end in pieces)
    return f"{name}\t{entity.label_} {offsets}\t{surface}\n"
