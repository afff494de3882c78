"""brat standoff: a text file and its annotation file (.ann, or .a1 and .a2) a document."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities
from ..errors import GapDNERError
from .docs import DOC_NAME
from .files import filling, read_text, visible_files
from .fragments import choose_line_ends, clean_entities
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

ANNOTATION_SUFFIXES = (".ann", ".a1", ".a2")
_RANGE = r"-?\d{1,18}\s+-?\d{1,18}"
_TYPE_AND_OFFSETS = re.compile(rf"(\S.*?)\s+({_RANGE}(?:\s*;\s*{_RANGE})*)\s*")
# relations, events, attributes and modifications, normalisations, equivalences, notes
_ENTITY_WITHIN = re.compile(rf"T\d+\t\S+ {_RANGE}(?:;{_RANGE})*\t")
_OTHER_ANNOTATIONS = re.compile(r"[REAMN]\d+\t|\*\t|#")


def read_brat(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read brat standoff, one document at a time.

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
        with reading(report, Place(str(_with_ending(stem, ".txt")), None, name)):
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
    does.

    docs (Iterable[Doc]): Docs with entities.
    path (Path): The folder; it is made, and files of the same name in it are replaced.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes the entities of whitespace alone, which brat cannot have.
    RETURNS (int): The number of documents written.
    RAISES (GapDNERError): If a label cannot stand in the format.
    """
    report = Report() if report is None else report
    taken: Counter[str] = Counter()
    number = 0
    with filling(Path(path)) as temporary:
        for number, doc in enumerate(docs, start=1):
            name = _file_name(doc, number, taken)
            stem = temporary / name
            stem.parent.mkdir(parents=True, exist_ok=True)
            lines = _entity_lines(doc, spans_key, report)
            _with_ending(stem, ".txt").write_bytes(doc.text.encode("utf-8"))
            _with_ending(stem, ".ann").write_bytes("".join(lines).encode("utf-8"))
    return number


def _read_document(stem: Path, name: str, report: Report) -> TextRecord:
    text_path = _with_ending(stem, ".txt")
    annotations = [_with_ending(stem, suffix) for suffix in ANNOTATION_SUFFIXES]
    annotations = [file for file in annotations if file.is_file()]
    if not text_path.is_file() and annotations:
        raise GapDNERError(
            f"{annotations[0]} has no text: there is no file {text_path}. Add it or remove the "
            "annotation file."
        )
    text = read_text(text_path, report)
    if not annotations:
        message = f"{name} has a text but no annotation file: taken as without entities"
        report.add("kept", "no annotation file", message, Place(str(text_path), None, name))
    entities = [entity for file in annotations for entity in _read_file(file, name, report)]
    text = choose_line_ends(text, entities, report, Place(str(text_path), None, name))
    return TextRecord(name, text, clean_entities(text, entities, report), str(text_path))


def _read_file(path: Path, document: str, report: Report) -> list[TextEntity]:
    entities = []
    # malformed lines wait: a file that has no other is of another format
    malformed: list[tuple[str, Place]] = []
    recognised = False
    for number, raw in enumerate(read_text(path, report).split("\n"), start=1):
        line, place = raw.rstrip("\r"), Place(str(path), number, document)
        if not line.strip():
            continue
        if _OTHER_ANNOTATIONS.match(line):
            recognised = True
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
    return entities


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


def _entity_lines(doc: Doc, spans_key: str, report: Report) -> list[str]:
    lines: list[str] = []
    # Doc.text is put together anew each time
    text = doc.text
    for entity in get_entities(doc, spans_key):
        if not entity.text.strip():
            message = f"{entity.label_} covers nothing but whitespace"
            place = Place(None, None, doc.user_data.get(DOC_NAME))
            offsets = entity.to_entity().fragments
            report.add("dropped", "entity of whitespace", message, place, offsets)
            continue
        lines.append(_entity_line(f"T{len(lines) + 1}", entity, text))
    return lines


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


def _file_name(doc: Doc, number: int, taken: Counter[str]) -> str:
    name = str(doc.user_data.get(DOC_NAME) or f"doc{number:06d}")
    # a name comes from a file, and must not lead out of the folder
    parts = [part for part in PurePosixPath(name).parts if part not in ("/", "..")]
    name = "/".join(parts) or f"doc{number:06d}"
    taken[name] += 1
    if taken[name] == 1:
        return name
    # sentences of one document: NAME, NAME-2, NAME-3, ...
    while taken[other := f"{name}-{taken[name]}"]:
        taken[name] += 1
    taken[other] += 1
    return other


def _with_ending(stem: Path, suffix: str) -> Path:
    # with_suffix would cut a name such as "report.1"
    return stem.with_name(stem.name + suffix)
