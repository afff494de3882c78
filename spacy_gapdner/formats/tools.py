"""What Prodigy, doccano and Label Studio export: JSON of regions, and relations between them."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..errors import GapDNERError
from .base import file_reader, first_bytes, make_entity
from .files import read_json, refuse_halves
from .records import TextEntity, TextRecord
from .regions import Link, Object, make_record, objects
from .report import Place, Report, reading
from .texts import first_object, read_objects

Found = tuple[Iterable[tuple[object, TextEntity | None]], Iterable[Link]]


def is_prodigy(path: Path) -> bool:
    """RETURNS (bool): Whether the first line of a file has "spans", or what Prodigy adds."""
    found = first_object(path)
    return isinstance(found.get("spans"), list) or "_task_hash" in found


def is_doccano(path: Path) -> bool:
    """RETURNS (bool): Whether the first line of a file has a list "label", or "entities" and
    "relations".
    """
    found = first_object(path)
    keys = ("entities", "relations") if "entities" in found else (_label_key(found),)
    return all(isinstance(found.get(key), list) for key in keys)


def is_labelstudio(path: Path) -> bool:
    """RETURNS (bool): Whether a file begins with tasks that have annotations and results."""
    start = first_bytes(path)
    return b'"annotations"' in start and b'"result"' in start


def read_prodigy(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read JSONL of Prodigy: ``{"text": ..., "spans": [...], "relations": [...]}``. Documents are
    named by their "id", else by file and line; tasks that were not accepted are dropped.
    """
    return _read_lines(path, report, _parse_prodigy)


def read_doccano(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read JSONL of doccano: ``{"text": ..., "label": [[START, END, TYPE]]}``, or with "entities"
    and "relations". Documents are named by their "id", else by file and line.
    """
    return _read_lines(path, report, _parse_doccano)


@file_reader(".json")
def read_labelstudio(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read the JSON that Label Studio exports (not JSON-MIN), tasks named by their ids. Of several
    annotations of a task, the one marked as ground truth is taken, else the first.
    """
    value = read_json(path)
    tasks = value if isinstance(value, list) else [value]
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise GapDNERError(f'{path} has no tasks with "data". Choose the right format.')
        place = Place(str(path), None, str(task.get("id", f"{path.stem}-{number}")))
        with reading(report, place):
            refuse_halves(task, str(place))
            yield from _read_task(task, place, report)


def _read_lines(
    path: Path, report: Report, parse: Callable[[Object, Place], Found]
) -> Iterator[TextRecord]:
    for text, place in read_objects(path, report):
        answer = text.extra.get("answer", "accept")
        if answer != "accept":
            message = f"{place.document}: the answer was {str(answer)[:20]!r}"
            report.add("dropped", "task that was not accepted", message, place)
            continue
        with reading(report, place):
            yield make_record(text.text, *parse(text.extra, place), place, report)


def _parse_prodigy(task: Object, place: Place) -> Found:
    # relations name their spans by offsets
    spans = objects(task.get("spans"))
    names = {_offsets(span): str(n) for n, span in reversed([*enumerate(spans)])}
    items = [
        (span, make_entity(span.get("label"), [(span.get("start"), span.get("end"))], n, place))
        for n, span in enumerate(spans)
    ]
    links = []
    for relation in objects(task.get("relations")):
        ends = (_offsets(relation.get(key)) for key in ("head_span", "child_span"))
        links.append(Link(str(relation.get("label")), *(names.get(end, "") for end in ends)))
    return items, links


def _offsets(span: object) -> str:
    return f"{span.get('start')}-{span.get('end')}" if isinstance(span, dict) else ""


def _parse_doccano(record: Object, place: Place) -> Found:
    if "entities" not in record:
        labels = record.get(_label_key(record))
        if not isinstance(labels, list):
            raise GapDNERError(f'{place} has no list "label". Choose the right format.')
        triples = [x if isinstance(x, list) and len(x) == 3 else (None,) * 3 for x in labels]
        return [
            (labels[n], make_entity(label, [(start, end)], n, place))
            for n, (start, end, label) in enumerate(triples)
        ], []
    items = []
    for e in objects(record["entities"]):
        offsets = [(e.get("start_offset"), e.get("end_offset"))]
        items.append((e, make_entity(e.get("label"), offsets, e.get("id"), place)))
    links = [
        Link(str(r.get("type")), str(r.get("from_id")), str(r.get("to_id")))
        for r in objects(record.get("relations"))
    ]
    return items, links


def _label_key(record: Object) -> str:
    # as the projects' versions name it
    return "labels" if "labels" in record else "label"


def _read_task(task: Object, place: Place, report: Report) -> Iterator[TextRecord]:
    found = [a for a in objects(task.get("annotations")) if not a.get("was_cancelled")]
    found.sort(key=lambda annotation: not annotation.get("ground_truth"))
    if not found:
        report.add("kept", "task without annotation", f"{place.document} was passed over", place)
        return
    for other in found[1:]:
        message = f"{place.document}: {len(objects(other.get('result')))} results of another one"
        report.add("dropped", "second annotation of a task", message, place)
    results = objects(found[0].get("result"))
    regions = [r for r in results if r.get("type") != "relation" and "labels" in _value(r)]
    text = _text_of(task["data"], regions, place)
    items = []
    for region in regions:
        value = _value(region)
        # one region may have several types
        for number, label in enumerate(value["labels"] or [None]):
            id = region.get("id") if number == 0 else f"{region.get('id')}-{number}"
            offsets = [(value.get("start"), value.get("end"))]
            items.append((region, make_entity(label, offsets, id, place, value.get("text"))))
    links = [
        Link(label, str(r.get("from_id")), str(r.get("to_id")))
        for r in results
        if r.get("type") == "relation"
        for label in map(str, r.get("labels") or [""])
    ]
    yield make_record(text, items, links, place, report)


def _value(result: Object) -> Object:
    value = result.get("value")
    return value if isinstance(value, dict) else {}


def _text_of(data: Object, regions: Iterable[Object], place: Place) -> str:
    # under the name of the tag, as the templates have it, or whatever it is if there is but one
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    for key in (*(str(region.get("to_name")) for region in regions), "text"):
        if key in texts:
            return texts[key]
    if len(texts) != 1:
        raise GapDNERError(f'{place}: task {place.document} has no "text" in its data.')
    return texts.popitem()[1]
