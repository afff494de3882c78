"""brat standoff: a text file and its annotation file (.ann, or .a1 and .a2) a document."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, Fragments, get_entities
from ..errors import GapDNERError
from .base import input_files
from .brat_annotations import annotation_conf, annotation_lines, attach, is_annotation
from .files import read_text
from .fragments import choose_text, clean_entities
from .from_docs import doc_place, name_entities
from .names import name_file, with_ending
from .outputs import filling
from .records import TextEntity, TextRecord
from .relations import Line, relation_lines
from .report import Place, Report, reading

ANNOTATION_SUFFIXES = (".ann", ".a1", ".a2")
_RANGE = r"-?\d{1,18}\s+-?\d{1,18}"
_ENTITY = re.compile(rf"(T\d+\S*)\t(\S[^\t]*?)\s+({_RANGE}(?:\s*;\s*{_RANGE})*)\s*(?:\t(.*))?")
# an entity whose line end is lost
_ENTITY_WITHIN = re.compile(rf"\tT\d+\t|T\d+\t\S+ {_RANGE}(?:;{_RANGE})*\t")
_CONF = "annotation.conf"


def read_brat(
    path: Path, report: Report, done: Collection[str] | None = None
) -> Iterator[TextRecord]:
    """Read brat standoff, one document at a time.

    Entities carry their attributes, notes and normalizations; their relations, events and
    equivalences go with the document.

    path (Path): A folder with text and annotation files at any depth, or one of these files.
    report (Report): Takes what is dropped or repaired.
    done (Optional[Collection[str]]): The names of the documents to read; all if None.
    YIELDS (TextRecord): Documents by the order of their names: paths within the folder, without
        suffix.
    RAISES (GapDNERError): If there is no annotation file, an annotation file has no text, or a
        file is not what its name says.
    """
    path = Path(path)
    suffixes = (".txt", *ANNOTATION_SUFFIXES)
    files = input_files(path, suffixes)
    if path.suffix not in suffixes and not path.is_dir():
        raise GapDNERError(f"{path} has none of the endings {', '.join(suffixes)}. Check the path.")
    if path.is_dir() and not any(file.suffix in ANNOTATION_SUFFIXES for file in files):
        raise GapDNERError(f"{path} holds no .ann, .a1 or .a2 file. Is it brat standoff?")
    root = path if path.is_dir() else path.parent
    for stem in sorted({file.with_suffix("") for file in files}, key=Path.as_posix):
        name = stem.relative_to(root).as_posix()
        if done is not None and name not in done:
            continue
        with reading(report, Place(str(with_ending(stem, ".txt")), None, name)):
            yield read_document(stem, name, report)


def has_annotations(path: Path) -> bool:
    """RETURNS (bool): Whether a file is an annotation file of brat, or a text beside one."""
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
    report (Optional[Report]): Takes what brat cannot have, or changes.
    RETURNS (int): The number of documents written.
    RAISES (GapDNERError): If a label cannot stand in the format.
    """
    report = Report() if report is None else report
    taken: Counter[str] = Counter()
    # of each kind of line one tells what annotation.conf must know
    kinds: dict[tuple[str, ...], str] = {}
    number = 0
    with filling(Path(path)) as temporary:
        for number, doc in enumerate(docs, start=1):
            lines = _document_lines(doc, spans_key, report)
            kinds.update((_kind(line), line) for line in lines)
            stem = name_file(doc, number, taken, temporary)
            with_ending(stem, ".txt").write_bytes(doc.text.encode("utf-8"))
            with_ending(stem, ".ann").write_bytes("".join(lines).encode("utf-8"))
        if kinds and not (Path(path) / _CONF).exists():
            (temporary / _CONF).write_text(annotation_conf(kinds.values()), encoding="utf-8")
    return number


def parse_entity(line: Line) -> TextEntity | None:
    """RETURNS (Optional[TextEntity]): The entity of a line, with the offsets that it gives; None
    if it is no entity.
    """
    match = _ENTITY.fullmatch(line.text)
    if match is None:
        return None
    name, label, ranges, surface = match.groups()
    numbers = [int(n) for n in re.findall(r"-?\d+", ranges)]
    fragments = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    surface = surface if surface and surface.strip() else None
    return TextEntity(label, fragments, name, line.place, surface)


def entity_line(name: str, label: str, fragments: Fragments, text: str) -> str:
    """Write an entity, its fragments cut at line ends, as brat does.

    name (str): Its id.
    label (str): Its type.
    fragments (tuple[tuple[int, int], ...]): Character ranges.
    text (str): The document.
    RETURNS (str): The line, without its end.
    RAISES (GapDNERError): If the label cannot stand in the format.
    """
    if not re.fullmatch(r"\S+", label):
        raise GapDNERError(
            f"brat cannot have the label {label!r}: it is empty or holds whitespace. Rename it."
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
    """Read one document.

    stem (Path): Its files without their endings.
    name (str): Its name.
    report (Report): Takes what is dropped or repaired.
    RETURNS (TextRecord): The document.
    RAISES (GapDNERError): See `read_brat`.
    """
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
        message = f"{name} has a text but no annotation file: taken as without entities"
        report.add("kept", "no annotation file", message, place)
    entities: list[TextEntity] = []
    others: list[Line] = []
    for file in annotations:
        found, said = _read_file(file, name, report)
        entities += found
        others += said
    entities, relations = attach(entities, others, report)
    text = choose_text(text, entities, report, place)
    cleaned = clean_entities(text, entities, report)
    return TextRecord(name, text, cleaned, str(text_path), relations=tuple(relations))


def _read_file(path: Path, document: str, report: Report) -> tuple[list[TextEntity], list[Line]]:
    entities: list[TextEntity] = []
    others: list[Line] = []
    # malformed lines wait: a file that has no other is of another format
    malformed: list[Line] = []
    for number, raw in enumerate(read_text(path, report).split("\n"), start=1):
        line = Line(raw.rstrip("\r"), Place(str(path), number, document))
        if is_annotation(line.text):
            others.append(line)
            if _ENTITY_WITHIN.search(line.text):
                malformed.append(line)
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


def _document_lines(doc: Doc, spans_key: str, report: Report) -> list[str]:
    # Doc.text is put together anew each time
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
        lines.extend(annotation_lines(name, entity, numbers, report, place))
    ids = {entity.id_: name for name, entity in zip(names, entities, strict=True)}
    return [*lines, *relation_lines(doc, ids, numbers, report, place)]


def _kind(line: str) -> tuple[str, ...]:
    # without ids
    words = line.split()
    if line[0] == "E":
        return "E", *(word.partition(":")[0] for word in words[1:])
    return line[0], words[1], *(words[3:] if line[0] == "A" else ())
