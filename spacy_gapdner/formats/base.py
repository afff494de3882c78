"""What the formats share: their files, and how values of a file become what an entity carries."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..entities import DiscontinuousEntity
from ..entities.attributes import offer_extensions
from ..errors import GapDNERError as GapDNERError
from .files import require_file, visible_files
from .report import Action, Place, Report

Offsets = tuple[tuple[int, int], ...]
KB_ID, KB_NAME, SCORE = "kb_id", "kb_name", "score"
# the kind of an attribute that comes back as a text from formats that have nothing else
BECOMES_TEXT = "attribute that becomes a text"


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


def as_offsets(values: Any, start: str, end: str) -> Offsets:
    """Take the fragments of an entity from JSON.

    values (Any): A list of objects.
    start (str): The key of the first character.
    end (str): The key of the character after the last.
    RETURNS (tuple[tuple[int, int], ...]): The fragments; empty if the values are of another form.
    """
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        return ()
    offsets = tuple((value.get(start), value.get(end)) for value in values)
    # bool is an int to Python, but no offset
    return offsets if all(type(n) is int for pair in offsets for n in pair) else ()


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

    entity (DiscontinuousEntity): The entity.
    report (Report): Takes the attributes whose names are taken.
    place (Place): The document.
    kb_id (str): The name of the id in a knowledge base.
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
    """Count an attribute that a format cannot have, or not as it is.

    action (str): "dropped", "kept" if it is left out as what is not said, or "repaired" if it
        becomes a text.
    entity (DiscontinuousEntity): The entity.
    key (str): The attribute's name.
    value (object): Its value.
    report (Report): Takes it.
    place (Place): The document.
    """
    kind = BECOMES_TEXT if action == "repaired" else "attribute that the format cannot have"
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
