"""What the readers and writers of formats share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar
from xml.etree.ElementTree import ParseError

from ..entities import DiscontinuousEntity
from ..entities.attributes import can_be_saved, offer_extensions
from ..errors import GapDNERError as GapDNERError
from .files import require_file, visible_files
from .outputs import replacing
from .records import TextEntity
from .report import NOWHERE, Action, Place, Report, reading

T = TypeVar("T")
Reader = Callable[[Path, Report], Iterator[T]]

KB_ID, KB_NAME, SCORE = "kb_id", "kb_name", "score"


def file_reader(*suffixes: str) -> Callable[[Reader[T]], Reader[T]]:
    """Make a reader of a file, or a folder with files of these endings, of what reads one file. A
    file that cannot be read is left out if the report says so.
    """

    def decorate(read_file: Reader[T]) -> Reader[T]:
        @wraps(read_file)
        def read(path: Path, report: Report) -> Iterator[T]:
            for file in input_files(Path(path), suffixes):
                with reading(report, Place(str(file))):
                    yield from read_file(file, report)

        return read

    return decorate


def input_files(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Find the files of a format.

    path (Path): A file, whatever its ending, or a folder.
    suffixes (tuple[str, ...]): Endings of the files in a folder.
    RETURNS (list[Path]): The files, sorted by their names.
    RAISES (GapDNERError): If there are none.
    """
    if not path.is_dir():
        require_file(path)
        return [path]
    files = visible_files(path, suffixes)
    if not files:
        raise GapDNERError(f"{path} holds no {' or '.join(suffixes)} file. Check path and format.")
    return files


def first_bytes(path: Path) -> bytes:
    """RETURNS (bytes): The beginning of a file, by which its format is guessed."""
    with path.open("rb") as stream:
        return stream.read(1 << 16)


@contextmanager
def xml_errors(path: Path) -> Iterator[None]:
    """Raise a GapDNERError for what is no XML, or declares entities, with which a small file can
    fill the memory.
    """
    try:
        yield
    # ValueError: what defusedxml refuses, encodings that the parser cannot read
    except (ParseError, LookupError, ValueError, RecursionError) as error:
        raise GapDNERError(
            f"{path} cannot be read as XML: {error}. Is it cut off, or of another format?"
        ) from None


@contextmanager
def writing(path: Path) -> Iterator[IO[str]]:
    """YIELDS (IO[str]): Takes the text of a file that is written whole or not at all."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        yield stream


def make_entity(
    label: object,
    offsets: Sequence[tuple[object, object]],
    id: object = None,
    place: Place = NOWHERE,
    surface: object = None,
    score: float | None = None,
    attrs: Mapping[str, Any] | None = None,
) -> TextEntity | None:
    """Make an entity of what a file says.

    label (object): The entity type, which must be a text.
    offsets (Sequence[tuple[object, object]]): Its fragments, which must be whole numbers.
    id (object): The annotation's name in its file.
    place (Place): Where the annotation stands.
    surface (object): Its text, if the file gives one.
    score, attrs: See `TextEntity`.
    RETURNS (Optional[TextEntity]): The entity; None if it is not as it should be.
    """
    # bool is an int to Python, but no offset
    fragments = tuple((a, b) for a, b in offsets if type(a) is int and type(b) is int)
    is_whole = fragments and len(fragments) == len(offsets)
    if not (isinstance(label, str) and label and is_whole and can_be_saved(dict(attrs or {}))):
        return None
    surface = surface if isinstance(surface, str) and surface.strip() else None
    name = None if id is None else str(id)
    return TextEntity(label, fragments, name, place, surface, score, attrs or {})


def offset_pairs(values: object, start: str, end: str) -> list[tuple[Any, Any]]:
    """RETURNS (list[tuple[Any, Any]]): The values of two keys of each object in a list of JSON;
    empty if it is no such list.
    """
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        return []
    return [(value.get(start), value.get(end)) for value in values]


def split_attributes(
    values: Mapping[str, Any], kb_id: str = KB_ID
) -> tuple[float | None, dict[str, Any]]:
    """Tell an entity's score and ids from its other attributes.

    values (Mapping[str, Any]): The attributes of a file, by name.
    kb_id (str): The name of the id in a knowledge base.
    RETURNS (tuple[Optional[float], dict[str, Any]]): The score, and the entity's attrs.
    """
    others = dict(values)
    attrs: dict[str, Any] = {}
    score = _probability(others.get(SCORE))
    if score is not None:
        del others[SCORE]
    for name, key in ((kb_id, KB_ID), (KB_NAME, KB_NAME)):
        if others.get(name) and isinstance(others[name], str):
            attrs[key] = others.pop(name)
    if others:
        offer_extensions(others)
        attrs["_"] = others
    return score, attrs


def join_attributes(
    entity: DiscontinuousEntity, report: Report, place: Place, kb_id: str = KB_ID
) -> dict[str, Any]:
    """Put an entity's score and ids among its other attributes, see `split_attributes`.

    report, place: Take the attributes whose names are taken.
    RETURNS (dict[str, Any]): The attributes by name.
    """
    named = {kb_id: entity.kb_id_, KB_NAME: entity.attrs.get("kb_name")}
    joined: dict[str, Any] = {key: value for key, value in named.items() if value}
    if entity.score is not None:
        joined[SCORE] = float(entity.score)
    for key, value in entity.attrs.get("_", {}).items():
        if key in joined:
            note_attribute("dropped", entity, key, value, report, place)
        else:
            joined[key] = value
    return joined


def note_attribute(
    action: Action,
    entity: DiscontinuousEntity,
    key: str,
    value: object,
    report: Report,
    place: Place,
) -> None:
    """Count an attribute that a format cannot have, or with "repaired" as a text alone."""
    becomes_text = action == "repaired"
    kind = "attribute that " + ("becomes a text" if becomes_text else "the format cannot have")
    message = f"{entity.label_} {entity.text[:40]!r} has {(key, value)!r:.60}"
    report.add(action, kind, message, place, entity.fragments)


def _probability(value: object) -> float | None:
    # a score of another kind stays an attribute
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
