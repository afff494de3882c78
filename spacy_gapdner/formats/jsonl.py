"""JSONL: one object with a text and its entities per line, the output of predict."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import TEXTS, DiscontinuousEntity, get_entities
from ..entities.attributes import can_be_saved, offer_extensions
from ..errors import GapDNERError
from .docs import DOC_EXTRA, DOC_NAME
from .files import first_object, read_documents
from .linked_regions import LinkedRegions, objects
from .outputs import writing
from .records import TextRecord
from .report import Report, reading


def has_entities(path: Path) -> bool:
    """RETURNS (bool): Whether the first line of a file is an object with "text" and "entities"."""
    return isinstance(first_object(path).get("entities"), list)


def read_jsonl(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read objects ``{"text": ..., "entities": [{"label": ..., "fragments": [{"start": ...,
    "end": ...}], "score": ...}]}`` with character offsets. Entities keep their scores, "id",
    "kb_id", "kb_name" and "attributes". Documents are named by their "id", else by file and line.
    """
    for record, place in read_documents(path, report):
        with reading(report, place):
            found = record.get("entities")
            if not isinstance(found, list):
                raise GapDNERError(f'{place} has no list "entities". Choose the right format.')
            regions = LinkedRegions(place, report)
            for item in found:
                _add_entity(item, regions)
            yield regions.to_record(record["text"], other_keys(record))


def write_jsonl(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a line per Doc: its text, its entities, and the other values of its record."""
    number = 0
    with writing(path) as stream:
        for doc in docs:
            number += 1
            name = doc.user_data.get(DOC_NAME)
            extra = {} if name is None else {"id": name}
            stream.write(to_line(doc, spans_key, extra | dict(doc.user_data.get(DOC_EXTRA, {}))))
    return number


def to_line(doc: Doc, key: str, extra: dict[str, Any]) -> str:
    """RETURNS (str): The JSONL record of a Doc as a line, see `to_record`."""
    return json.dumps(to_record(doc, key, extra), ensure_ascii=False) + "\n"


def to_record(doc: Doc, key: str, extra: dict[str, Any]) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The JSONL record of a Doc: its text, its entities with character
    offsets, and other values.
    """
    entities = [_to_object(entity) for entity in get_entities(doc, key)]
    return {"text": doc.text, "entities": entities, **other_keys(extra)}


def other_keys(record: Mapping[str, Any]) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): A document's record without its text and entities."""
    return {key: value for key, value in record.items() if key not in ("text", "entities")}


def parse_attrs(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """RETURNS (Optional[dict[str, Any]]): An entity's attrs; None if they are malformed."""
    attrs = {key: values[key] for key in TEXTS if values.get(key) not in (None, "")}
    attributes = values.get("attributes") or {}
    if not all(isinstance(value, str) for value in attrs.values()):
        return None
    if not isinstance(attributes, dict) or not can_be_saved(attributes):
        return None
    offer_extensions(attributes)
    return attrs | ({"_": attributes} if attributes else {})


def _to_object(entity: DiscontinuousEntity) -> dict[str, Any]:
    fragments = [
        {"start": span.start_char, "end": span.end_char, "text": span.text} for span in entity.spans
    ]
    values = {
        "label": entity.label_,
        "text": entity.text,
        "start": entity.start_char,
        "end": entity.end_char,
        "fragments": fragments,
        "score": None if entity.score is None else round(entity.score, 6),
        "discontinuous": entity.is_discontinuous,
    }
    values |= {key: entity.attrs[key] for key in TEXTS if entity.attrs.get(key)}
    attributes = entity.attrs.get("_")
    return values | ({"attributes": dict(attributes)} if attributes else {})


def _add_entity(item: Any, regions: LinkedRegions) -> None:
    values = item if isinstance(item, dict) else {}
    score, attrs = values.get("score"), parse_attrs(values)
    is_score = score is None or (isinstance(score, int | float) and not isinstance(score, bool))
    if attrs is None or not is_score:
        regions.drop_malformed(item)
        return
    # also false for NaN
    probability = score if score is not None and 0 <= score <= 1 else None
    if score != probability:
        message = f"{str(item)[:80]} has the score {score}, which is not between 0 and 1"
        regions.report.add("repaired", "score that is no probability", message, regions.place)
    offsets = [(part.get("start"), part.get("end")) for part in objects(values.get("fragments"))]
    id = attrs.pop("id", None)
    regions.add(item, values.get("label"), offsets, id, values.get("text"), probability, attrs)
