"""PubAnnotation JSON: a text with its denotations a file.

A discontinuous entity is a denotation with a list of spans, or a chain of denotations: the last
has the type, each other is a ``_FRAGMENT``, and relations ``_lexicallyChainedTo`` lead backwards.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities
from ..entities.attributes import can_be_saved, offer_extensions
from ..errors import GapDNERError
from .docs import DOC_NAME
from .files import read_json, visible_files
from .fragments import clean_entities
from .from_docs import name_entities
from .names import free_names, name_file, with_ending
from .outputs import filling
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

_CHAINED, _FRAGMENT = "_lexicallyChainedTo", "_FRAGMENT"
# attributes that entities have by other names
_KB_ID, _KB_NAME, _SCORE = "kb_id", "kb_name", "score"
# keys of a document or a track, and of a denotation, that are read or counted
_LISTS = ("denotations", "relations", "attributes", "modifications", "blocks")
_KNOWN = ("text", "sourceid", "tracks", *_LISTS)
_OF_DENOTATIONS = ("id", "span", "obj")

Offsets = list[tuple[int, int]]


def has_denotations(path: Path) -> bool:
    """Find out whether a file is of PubAnnotation.

    path (Path): The file.
    RETURNS (bool): True if it holds objects with "text", and "denotations" or "tracks".
    """
    try:
        items = _load(path)
    except GapDNERError:
        return False
    keys = ("denotations", "tracks")
    return bool(items) and all(any(isinstance(i.get(k), list) for k in keys) for i in items)


def read_pubannotation(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read PubAnnotation JSON, one document at a time, with the denotations of all its tracks.

    path (Path): A file with a document, or a list of them; or a folder of such at any depth.
    report (Report): Takes what is dropped or repaired; relations, modifications and blocks are
        dropped.
    YIELDS (TextRecord): Documents by the order of their files, named by "sourceid" or file.
    RAISES (GapDNERError): If there is no such file, or it is of another kind.
    """
    path = Path(path)
    files = visible_files(path, (".json",)) if path.is_dir() else [path]
    if not files:
        raise GapDNERError(f"{path} holds no .json file. Check path and format.")
    for file in files:
        with reading(report, Place(str(file))):
            items = _load(file)
            for number, item in enumerate(items, start=1):
                stem = file.relative_to(path) if path.is_dir() else Path(file.name)
                default = stem.with_suffix("").as_posix() + (f"-{number}" if len(items) > 1 else "")
                place = Place(str(file), None, str(item.get("sourceid") or default))
                yield _to_record(item, place, report)


def write_pubannotation(
    docs: Iterable[Doc],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write a .json file per Doc, all or none.

    docs (Iterable[Doc]): Docs with entities.
    path (Path): The folder; it is made, and files of the same name in it are replaced.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes the attributes with a name that something else has.
    RETURNS (int): The number of documents written.
    """
    report = Report() if report is None else report
    taken: Counter[str] = Counter()
    number = 0
    with filling(Path(path)) as temporary:
        for number, doc in enumerate(docs, start=1):
            content = json.dumps(_to_object(doc, spans_key, report), ensure_ascii=False, indent=1)
            stem = name_file(doc, number, taken, temporary)
            with_ending(stem, ".json").write_bytes(content.encode("utf-8") + b"\n")
    return number


def _load(path: Path) -> list[dict[str, Any]]:
    value = read_json(path)
    items = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            raise GapDNERError(f'{path} holds no object with a "text". Choose the right format.')
    return items


def _to_record(item: Mapping[str, Any], place: Place, report: Report) -> TextRecord:
    # each track has ids of its own
    layers = [item, *_objects(item, "tracks", place, report)]
    entities = [entity for layer in layers for entity in _entities(layer, place, report)]
    others = [repr(key) for layer in layers for key in layer if key not in _KNOWN]
    if others:
        message = f"no place for {', '.join(dict.fromkeys(others))}"
        report.add("kept", "further keys of a document", message, place)
    cleaned = clean_entities(item["text"], entities, report)
    return TextRecord(place.document or "", item["text"], cleaned, place.file)


def _entities(layer: Mapping[str, Any], place: Place, report: Report) -> Iterator[TextEntity]:
    labels, spans = _denotations(layer, place, report)
    before: dict[str, list[str]] = {}
    for value in _objects(layer, "relations", place, report):
        last, first = str(value.get("subj")), str(value.get("obj"))
        if value.get("pred") != _CHAINED or last not in spans or first not in spans:
            report.add("dropped", "relation", f"cannot hold {str(value)[:80]}", place)
        else:
            before.setdefault(last, []).append(first)
    for key in ("modifications", "blocks"):
        for value in _objects(layer, key, place, report):
            report.add("dropped", key[:-1], f"cannot hold {str(value)[:80]}", place)
    attrs, scores = _attributes(layer, labels, place, report)
    fragments = {name for name, label in labels.items() if label == _FRAGMENT}
    for name, label in labels.items():
        if label != _FRAGMENT:
            chain = _chain(name, before)
            fragments.difference_update(chain)
            found = tuple(span for part in chain for span in spans[part])
            yield TextEntity(label, found, name, place, None, scores.get(name), attrs[name])
    for name in sorted(fragments):
        message = f"nothing is chained to the fragment {name[:80]} at {spans[name]}"
        report.add("dropped", "fragment without an entity", message, place)


def _denotations(
    layer: Mapping[str, Any], place: Place, report: Report
) -> tuple[dict[str, str], dict[str, Offsets]]:
    labels: dict[str, str] = {}
    spans: dict[str, Offsets] = {}
    values = list(_objects(layer, "denotations", place, report))
    free = free_names({str(value["id"]) for value in values if value.get("id")})
    for value in values:
        name, label = str(value.get("id") or next(free)), value.get("obj")
        offsets = _offsets(value.get("span"))
        if not isinstance(label, str) or not label or not offsets or name in labels:
            message = f'no new "id", "span" or "obj" in {str(value)[:80]}'
            report.add("dropped", "malformed denotation", message, place)
            continue
        labels[name], spans[name] = label, offsets
        report.note_keys(value, _OF_DENOTATIONS, f"{label} {name}", place)
    return labels, spans


def _chain(name: str, before: Mapping[str, list[str]]) -> list[str]:
    # what a denotation is chained to, over any number of relations, and itself
    found, waiting = {name: None}, [name]
    while waiting:
        for other in before.get(waiting.pop(), ()):
            if other not in found:
                found[other] = None
                waiting.append(other)
    return [*found][::-1]


def _attributes(
    item: Mapping[str, Any], labels: Mapping[str, str], place: Place, report: Report
) -> tuple[dict[str, dict[str, Any]], dict[str, float]]:
    attrs: dict[str, dict[str, Any]] = {n: {} for n, label in labels.items() if label != _FRAGMENT}
    scores: dict[str, float] = {}
    for value in _objects(item, "attributes", place, report):
        subject, name, content = str(value.get("subj")), value.get("pred"), value.get("obj")
        if subject not in attrs or not isinstance(name, str) or not can_be_saved(content):
            report.add("dropped", "attribute", f"cannot hold {str(value)[:80]}", place)
            continue
        held, key = attrs[subject], name
        if name == _SCORE and isinstance(content, float) and 0 <= content <= 1:
            held, key = scores, subject
        elif name not in (_KB_ID, _KB_NAME) or not isinstance(content, str):
            held = held.setdefault("_", {})
            offer_extensions([name])
        if key in held:
            message = f"cannot hold {str(value)[:80]} too"
            report.add("dropped", "attribute given twice", message, place)
        else:
            held[key] = content
    return attrs, scores


def _objects(
    item: Mapping[str, Any], key: str, place: Place, report: Report
) -> Iterator[Mapping[str, Any]]:
    values = item.get(key) or []
    for value in values if isinstance(values, list) else [values]:
        if isinstance(value, dict):
            yield value
        else:
            report.add("dropped", f"malformed {key}", f"no object: {str(value)[:80]}", place)


def _offsets(value: Any) -> Offsets:
    spans = value if isinstance(value, list) else [value]
    if not all(isinstance(span, dict) for span in spans):
        return []
    offsets = [(span.get("begin"), span.get("end")) for span in spans]
    # bool is an int to Python, but no offset
    return offsets if all(type(n) is int for pair in offsets for n in pair) else []


def _to_object(doc: Doc, spans_key: str, report: Report) -> dict[str, Any]:
    place = Place(None, None, doc.user_data.get(DOC_NAME))
    entities = get_entities(doc, spans_key)
    names = name_entities(entities, report, place)
    found = [_denotation(name, entity) for name, entity in zip(names, entities, strict=True)]
    said = [
        {"subj": name, "pred": key, "obj": value}
        for name, entity in zip(names, entities, strict=True)
        for key, value in _said(entity, report, place).items()
    ]
    attributes = [{"id": f"A{i}", **value} for i, value in enumerate(said, start=1)]
    name = doc.user_data.get(DOC_NAME)
    source = {} if name is None else {"sourceid": str(name)}
    result = {**source, "text": doc.text, "denotations": found}
    return result | ({"attributes": attributes} if attributes else {})


def _denotation(name: str, entity: DiscontinuousEntity) -> dict[str, Any]:
    spans = [{"begin": span.start_char, "end": span.end_char} for span in entity.spans]
    return {"id": name, "span": spans if len(spans) > 1 else spans[0], "obj": entity.label_}


def _said(entity: DiscontinuousEntity, report: Report, place: Place) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if entity.kb_id_:
        said[_KB_ID] = entity.kb_id_
    if entity.attrs.get("kb_name"):
        said[_KB_NAME] = entity.attrs["kb_name"]
    if entity.score is not None:
        said[_SCORE] = float(entity.score)
    for pair in entity.attrs.get("_", {}).items():
        if pair[0] in said:
            message = f"{entity.label_} {entity.text[:40]!r} has {pair!r:.60}"
            kind = "attribute that PubAnnotation cannot have"
            report.add("dropped", kind, message, place, entity.fragments)
        else:
            said[pair[0]] = pair[1]
    return said
