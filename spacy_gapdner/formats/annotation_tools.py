"""Exports of Prodigy, doccano and Label Studio: JSON of regions and relations between them."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..errors import GapDNERError
from .files import file_reader, first_bytes, first_object, parse_each, read_documents, read_json
from .linked_regions import LinkedRegions, Object, objects
from .records import TextRecord
from .report import Place, Report, reading


def is_prodigy(path: Path) -> bool:
    """RETURNS (bool): Whether the first line of a file has "spans" or Prodigy's "_task_hash"."""
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
    """RETURNS (bool): Whether a file begins with tasks with annotations and results."""
    start = first_bytes(path)
    return b'"annotations"' in start and b'"result"' in start


def read_prodigy(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read JSONL of Prodigy: ``{"text": ..., "spans": [...], "relations": [...]}``. Documents are
    named by their "id", else by file and line. Tasks that were not accepted are dropped.
    """
    return _read_lines(path, report, _add_prodigy)


def read_doccano(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read JSONL of doccano: ``{"text": ..., "label": [[START, END, TYPE]]}``, or with "entities"
    and "relations". Documents are named by their "id", else by file and line.
    """
    return _read_lines(path, report, _add_doccano)


@file_reader(".json")
def read_labelstudio(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read the JSON that Label Studio exports (not JSON-MIN), tasks named by their ids. Of several
    annotations of a task, the one marked as ground truth is taken, else the first.
    """
    value = read_json(path)
    places = []
    for number, task in enumerate(value if isinstance(value, list) else [value], start=1):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise GapDNERError(f'{path} has no tasks with "data". Choose the right format.')
        name = str(task.get("id", f"{path.stem}-{number}"))
        places.append((task, Place(str(path), None, name)))
    yield from parse_each(
        places, report, lambda task, place: _read_task(task, LinkedRegions(place, report))
    )


def _read_lines(
    path: Path, report: Report, add: Callable[[Object, LinkedRegions], None]
) -> Iterator[TextRecord]:
    for record, place in read_documents(path, report):
        regions = LinkedRegions(place, report)
        answer = record.get("answer", "accept")
        if answer != "accept":
            regions.drop("task that was not accepted", f"the answer was {answer!r}")
            continue
        with reading(report, place):
            add(record, regions)
            yield regions.to_record(record["text"])


def _add_prodigy(task: Object, regions: LinkedRegions) -> None:
    spans = objects(task.get("spans"))
    # relations refer to spans by offsets
    names = {_offsets(span): n for n, span in reversed([*enumerate(spans)])}
    for n, span in enumerate(spans):
        regions.add(span, span.get("label"), [(span.get("start"), span.get("end"))], n)
    for relation in objects(task.get("relations")):
        ends = (names.get(_offsets(relation.get(key))) for key in ("head_span", "child_span"))
        regions.link(relation.get("label"), *ends)


def _offsets(span: object) -> str:
    return f"{span.get('start')}-{span.get('end')}" if isinstance(span, dict) else ""


def _add_doccano(record: Object, regions: LinkedRegions) -> None:
    if "entities" not in record:
        labels = record.get(_label_key(record))
        if not isinstance(labels, list):
            raise GapDNERError(f'{regions.place} has no list "label". Choose the right format.')
        for n, item in enumerate(labels):
            is_triple = isinstance(item, list) and len(item) == 3
            start, end, label = item if is_triple else (None, None, None)
            regions.add(item, label, [(start, end)], n)
        return
    for e in objects(record["entities"]):
        offsets = [(e.get("start_offset"), e.get("end_offset"))]
        regions.add(e, e.get("label"), offsets, e.get("id"))
    for r in objects(record.get("relations")):
        regions.link(r.get("type"), r.get("from_id"), r.get("to_id"))


def _label_key(record: Object) -> str:
    # depends on doccano's version
    return "labels" if "labels" in record else "label"


def _read_task(task: Object, regions: LinkedRegions) -> Iterator[TextRecord]:
    place, report = regions.place, regions.report
    found = [a for a in objects(task.get("annotations")) if not a.get("was_cancelled")]
    found.sort(key=lambda annotation: not annotation.get("ground_truth"))
    if not found:
        report.add("dropped", "task without annotation", "it was skipped", place)
        return
    for other in found[1:]:
        n_results = len(objects(other.get("result")))
        regions.drop("second annotation of a task", f"it has {n_results} results")
    results = objects(found[0].get("result"))
    labeled = [r for r in results if r.get("type") != "relation" and "labels" in _value(r)]
    for region in labeled:
        value = _value(region)
        offsets = [(value.get("start"), value.get("end"))]
        # a region can have several types
        for number, label in enumerate(value["labels"] or [None]):
            id = region.get("id") if number == 0 else f"{region.get('id')}-{number}"
            regions.add(region, label, offsets, id, value.get("text"))
    for result in results:
        if result.get("type") == "relation":
            for label in result.get("labels") or [""]:
                regions.link(label, result.get("from_id"), result.get("to_id"))
    yield regions.to_record(_text_of(task["data"], labeled, place))


def _value(result: Object) -> Object:
    value = result.get("value")
    return value if isinstance(value, dict) else {}


def _text_of(data: Object, regions: Iterable[Object], place: Place) -> str:
    # under the name of the tag as in the templates, or else the only string
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    for key in (*(str(region.get("to_name")) for region in regions), "text"):
        if key in texts:
            return texts[key]
    if len(texts) != 1:
        raise GapDNERError(f'{place}: the task has no "text" in its data.')
    return texts.popitem()[1]
