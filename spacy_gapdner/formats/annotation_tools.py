"""Exports of Prodigy, doccano and Label Studio: JSON of regions and relations between them."""

from collections.abc import Iterator
from pathlib import Path

from ..errors import GapDNERError
from .files import file_reader, read_documents, read_json
from .linked_regions import LinkedRegions, Object, objects, read_regions
from .records import TextRecord
from .report import Place, Report


def read_prodigy(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read JSONL of Prodigy: ``{"text": ..., "spans": [...], "relations": [...]}``. Documents are
    named by their "id", else by file and line. Tasks that were not accepted are dropped.
    """
    return read_regions(read_documents(path, report), report, _parse_prodigy)


def read_doccano(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read JSONL of doccano: ``{"text": ..., "label": [[START, END, TYPE]]}``, or with "entities"
    and "relations". Documents are named by their "id", else by file and line.
    """
    return read_regions(read_documents(path, report), report, _parse_doccano)


@file_reader(".json")
def read_labelstudio(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read the JSON that Label Studio exports (not JSON-MIN), tasks named by their ids. If a task
    has several annotations, the one marked as ground truth is read, else the first.
    """
    value = read_json(path)
    tasks = []
    for number, task in enumerate(value if isinstance(value, list) else [value], start=1):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise GapDNERError(f'{path} has no tasks with "data". Choose the right format.')
        name = str(task.get("id", f"{path.stem}-{number}"))
        tasks.append((task, Place(str(path), None, name)))
    yield from read_regions(tasks, report, _parse_labelstudio)


def _parse_prodigy(task: Object, regions: LinkedRegions) -> str | None:
    answer = task.get("answer", "accept")
    if answer != "accept":
        regions.drop("task that was not accepted", f"the answer was {answer!r}")
        return None
    spans = objects(task.get("spans"))
    for n, span in enumerate(spans):
        regions.add(span, span.get("label"), [(span.get("start"), span.get("end"))], n)
    # relations refer to spans by offsets
    names = {_offsets(span): n for n, span in reversed([*enumerate(spans)])}
    for relation in objects(task.get("relations")):
        ends = (names.get(_offsets(relation.get(key))) for key in ("head_span", "child_span"))
        regions.link(relation.get("label"), *ends)
    return str(task["text"])


def _offsets(span: object) -> str:
    return f"{span.get('start')}-{span.get('end')}" if isinstance(span, dict) else ""


def _parse_doccano(record: Object, regions: LinkedRegions) -> str:
    if "entities" in record:
        for e in objects(record["entities"]):
            offsets = [(e.get("start_offset"), e.get("end_offset"))]
            regions.add(e, e.get("label"), offsets, e.get("id"))
        for r in objects(record.get("relations")):
            regions.link(r.get("type"), r.get("from_id"), r.get("to_id"))
        return str(record["text"])
    labels = record.get(_label_key(record))
    if not isinstance(labels, list):
        raise GapDNERError(f'{regions.place} has no list "label". Choose the right format.')
    for item in labels:
        is_triple = isinstance(item, list) and len(item) == 3
        start, end, label = item if is_triple else (None, None, None)
        regions.add(item, label, [(start, end)])
    return str(record["text"])


def _label_key(record: Object) -> str:
    # depends on doccano's version
    return "labels" if "labels" in record else "label"


def _parse_labelstudio(task: Object, regions: LinkedRegions) -> str | None:
    found = [a for a in objects(task.get("annotations")) if not a.get("was_cancelled")]
    if not found:
        regions.drop("task without annotation", "it was skipped")
        return None
    chosen, *others = sorted(found, key=lambda annotation: not annotation.get("ground_truth"))
    for other in others:
        n_results = len(objects(other.get("result")))
        regions.drop("second annotation of a task", f"it has {n_results} results")
    results = objects(chosen.get("result"))
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
    return _text_of(task["data"], regions.place)


def _value(result: Object) -> Object:
    value = result.get("value")
    return value if isinstance(value, dict) else {}


def _text_of(data: Object, place: Place) -> str:
    # under the name in the templates, or else the only string
    texts = [value for value in data.values() if isinstance(value, str)]
    if isinstance(data.get("text"), str):
        return str(data["text"])
    if len(texts) != 1:
        raise GapDNERError(f'{place}: the task has no "text" in its data.')
    return texts[0]
