"""PubAnnotation JSON: a text with its denotations a file.

A discontinuous entity is a denotation with a list of spans, or a chain of denotations: the last
has the type, each other is a ``_FRAGMENT``, and relations ``_lexicallyChainedTo`` lead backwards.
"""

import json
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import DiscontinuousEntity, get_entities
from ..entities.attributes import can_be_saved
from ..errors import GapDNERError
from .base import input_files, join_attributes, make_entity, offset_pairs, split_attributes
from .docs import DOC_NAME, doc_place
from .files import read_json, refuse_halves
from .fragments import clean_entities
from .names import free_names, name_entities, name_files, with_ending
from .outputs import filling
from .records import TextEntity, TextRecord
from .regions import Object, follow
from .report import Place, Report, reading

_CHAINED, _FRAGMENT = "_lexicallyChainedTo", "_FRAGMENT"


def has_denotations(path: Path) -> bool:
    """RETURNS (bool): Whether a file has objects with "text", and "denotations" or "tracks"."""
    try:
        items = _load(path)
    except GapDNERError:
        return False
    keys = ("denotations", "tracks")
    return bool(items) and all(any(isinstance(i.get(k), list) for k in keys) for i in items)


def read_pubannotation(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read PubAnnotation JSON: a document, or a list of them, a file, with the denotations of all
    tracks. Documents are named by "sourceid" or file; relations, modifications and blocks are
    dropped.
    """
    path = Path(path)
    for file in input_files(path, (".json",)):
        with reading(report, Place(str(file))):
            items = _load(file)
            stem = file.relative_to(path) if path.is_dir() else Path(file.name)
            for number, item in enumerate(items, start=1):
                default = stem.with_suffix("").as_posix() + (f"-{number}" if len(items) > 1 else "")
                name = str(item.get("sourceid") or default)
                place = Place(str(file), None, name)
                refuse_halves(item, str(place))
                # each track has ids of its own
                layers = [item, *_objects(item, "tracks", place, report)]
                found = [e for layer in layers for e in _entities(layer, place, report)]
                cleaned = clean_entities(item["text"], found, report)
                yield TextRecord(name, item["text"], cleaned, str(file))


def write_pubannotation(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a .json file per Doc, all or none; files of the same name are replaced."""
    number = 0
    with filling(path) as temporary:
        for doc, stem in name_files(docs, temporary):
            number += 1
            content = json.dumps(_to_object(doc, spans_key, report), ensure_ascii=False, indent=1)
            with_ending(stem, ".json").write_bytes(content.encode("utf-8") + b"\n")
    return number


def _load(path: Path) -> list[dict[str, Any]]:
    value = read_json(path)
    items = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            raise GapDNERError(f'{path} holds no object with a "text". Choose the right format.')
    return items


def _entities(layer: Object, place: Place, report: Report) -> Iterator[TextEntity]:
    found = _denotations(layer, place, report)
    before: dict[str, list[str]] = {}
    for value in _objects(layer, "relations", place, report):
        last, first = str(value.get("subj")), str(value.get("obj"))
        if value.get("pred") == _CHAINED and last in found and first in found:
            before.setdefault(last, []).append(first)
        else:
            _drop("relation", value, place, report)
    for key in ("modifications", "blocks"):
        for value in _objects(layer, key, place, report):
            _drop(key[:-1], value, place, report)
    fragments = {name for name, denotation in found.items() if denotation.label == _FRAGMENT}
    said = _attributes(layer, found.keys() - fragments, place, report)
    used: set[str] = set()
    for name, denotation in found.items():
        if name not in fragments:
            chain = follow(name, before)[::-1]
            used.update(chain)
            spans = tuple(span for part in chain for span in found[part].fragments)
            score, attrs = said.get(name, (None, {}))
            yield replace(denotation, fragments=spans, score=score, attrs=attrs)
    for name in sorted(fragments - used):
        spans = found[name].fragments
        message = f"nothing is chained to the fragment {name[:80]} at {spans}"
        report.add("dropped", "fragment without an entity", message, place)


def _denotations(layer: Object, place: Place, report: Report) -> dict[str, TextEntity]:
    found: dict[str, TextEntity] = {}
    values = list(_objects(layer, "denotations", place, report))
    free = free_names({str(value["id"]) for value in values if value.get("id")})
    for value in values:
        name, span = str(value.get("id") or next(free)), value.get("span")
        offsets = offset_pairs(span if isinstance(span, list) else [span], "begin", "end")
        denotation = make_entity(value.get("obj"), offsets, name, place)
        if denotation and name not in found:
            found[name] = denotation
        else:
            _drop("malformed denotation", value, place, report)
    return found


def _attributes(
    layer: Object, entities: Set[str], place: Place, report: Report
) -> dict[str, tuple[float | None, dict[str, Any]]]:
    said: dict[str, dict[str, Any]] = {}
    for value in _objects(layer, "attributes", place, report):
        subject, name, content = str(value.get("subj")), value.get("pred"), value.get("obj")
        held = said.setdefault(subject, {})
        if (
            subject in entities
            and isinstance(name, str)
            and name not in held
            and can_be_saved(content)
        ):
            held[name] = content
        else:
            _drop("attribute", value, place, report)
    return {subject: split_attributes(values) for subject, values in said.items()}


def _objects(layer: Object, key: str, place: Place, report: Report) -> Iterator[Object]:
    values = layer.get(key) or []
    for value in values if isinstance(values, list) else [values]:
        if isinstance(value, dict):
            yield value
        else:
            _drop(f"malformed {key}", value, place, report)


def _drop(kind: str, value: object, place: Place, report: Report) -> None:
    report.add("dropped", kind, f"cannot hold {str(value)[:80]}", place)


def _to_object(doc: Doc, spans_key: str, report: Report) -> dict[str, Any]:
    place = doc_place(doc)
    entities = get_entities(doc, spans_key)
    names = name_entities(entities, report, place)
    pairs = list(zip(names, entities, strict=True))
    said = [
        {"subj": name, "pred": key, "obj": value}
        for name, entity in pairs
        for key, value in join_attributes(entity, report, place).items()
    ]
    name = doc.user_data.get(DOC_NAME)
    result: dict[str, Any] = {} if name is None else {"sourceid": str(name)}
    result |= {"text": doc.text, "denotations": [_denotation(*pair) for pair in pairs]}
    if said:
        result["attributes"] = [{"id": f"A{i}", **value} for i, value in enumerate(said, start=1)]
    return result


def _denotation(name: str, entity: DiscontinuousEntity) -> dict[str, Any]:
    spans = [{"begin": span.start_char, "end": span.end_char} for span in entity.spans]
    return {"id": name, "span": spans if len(spans) > 1 else spans[0], "obj": entity.label_}
