"""Read and write JSONL, the output of predict: one object with a text and its entities per line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import STRING_ATTRS, DiscontinuousEntity, can_be_saved, get_entities
from .attributes import parse_probability
from .docs import DOC_EXTRA, DOC_NAME
from .files import read_documents, record_name
from .linked_regions import LinkedRegions, read_regions
from .outputs import write_parts
from .records import TextRecord
from .report import Report

# The results of `predict` keep the keys of its input, such as "_task_hash" and "label": []
ENTITIES = r'"entities"\s*:\s*\['


def read_jsonl(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read objects ``{"text": ..., "entities": [{"label": ..., "fragments": [{"start": ...,
    "end": ...}], "score": ...}]}`` with character offsets. Entities keep their scores, "id",
    "kb_id", "kb_name" and "attributes". Documents are named by their "id", else by file and line.
    """
    return read_regions(read_documents(path, report), report, _parse)


def write_jsonl(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a line per Doc: its text, its entities, and the other values of its record."""
    return write_parts(path, to_lines(docs, spans_key))


def to_lines(docs: Iterable[Doc], spans_key: str) -> Iterator[str]:
    """YIELDS (str): A line per Doc: its text, its entities, and the other values of its record."""
    for doc in docs:
        record = {**to_record(doc, spans_key), **document_values(doc)}
        yield f"{json.dumps(record, ensure_ascii=False)}\n"


def to_record(doc: Doc, key: str) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The text and entities of a Doc for JSON."""
    return {"text": doc.text, "entities": [_to_object(e) for e in get_entities(doc, key)]}


def document_values(doc: Doc) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The other values of a Doc's record, with its name as the "id"."""
    name, extra = doc.user_data.get(DOC_NAME), doc.user_data.get(DOC_EXTRA, {})
    # several documents can have the same id, such as documents of two annotators
    if name is not None and ("id" not in extra or record_name(extra) not in (None, name)):
        extra = {"id": name, **{key: value for key, value in extra.items() if key != "id"}}
    return other_keys(extra)


def other_keys(record: Mapping[str, Any]) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): A document's record without its text and entities."""
    return {key: value for key, value in record.items() if key not in ("text", "entities")}


def parse_attrs(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """RETURNS (Optional[dict[str, Any]]): An entity's attrs; None if they are malformed."""
    attrs = {key: values[key] for key in STRING_ATTRS if values.get(key) not in (None, "")}
    attributes = values.get("attributes") or {}
    # the check is slow, and most entities have no attributes
    is_valid = isinstance(attributes, dict) and (not attributes or can_be_saved(attributes))
    if not is_valid or not all(isinstance(value, str) for value in attrs.values()):
        return None
    return attrs | ({"_": attributes} if attributes else {})


def _to_object(entity: DiscontinuousEntity) -> dict[str, Any]:
    values: dict[str, Any] = {
        "label": entity.label_,
        "text": entity.text,
        "start": entity.start_char,
        "end": entity.end_char,
        "fragments": [
            {"start": span.start_char, "end": span.end_char, "text": span.text}
            for span in (entity.doc[start:end] for start, end in entity.fragments)
        ],
        "score": None if entity.score is None else round(entity.score, 6),
        "discontinuous": entity.is_discontinuous,
    }
    attrs = {**entity.attrs, "kb_id": entity.kb_id_}
    values |= {key: attrs[key] for key in STRING_ATTRS if attrs.get(key)}
    attributes = attrs.get("_")
    return values | ({"attributes": dict(attributes)} if attributes else {})


def _parse(record: Mapping[str, Any], regions: LinkedRegions) -> str:
    for item in record["entities"]:
        parts = item["fragments"] if isinstance(item, dict) else None
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            regions.drop('entity without "fragments": [{"start": 0, "end": 5}]', item)
            continue
        attrs = parse_attrs(item)
        if attrs is None:
            regions.drop("malformed entity", item)
            continue
        score = parse_probability(item.get("score"))
        if score is None and item.get("score") is not None:
            message = f"the score is not between 0 and 1 in {str(item)[:80]}"
            kind = "score that is not a probability"
            regions.report.add("repaired", kind, message, regions.place)
        offsets = [(part["start"], part["end"]) for part in parts]
        id = attrs.pop("id", None)
        regions.add(item, item["label"], offsets, id, item.get("text"), score, attrs)
    regions.extra = other_keys(record)
    return str(record["text"])
