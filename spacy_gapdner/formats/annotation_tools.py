"""Exports of Prodigy, doccano and Label Studio: JSON of regions and relations between them."""

from collections.abc import Iterator
from pathlib import Path

from ..errors import GapDNERError
from .files import file_reader, read_documents, read_json
from .linked_regions import LinkedRegions, Object, read_regions
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
    # relations refer to spans by offsets
    numbers: dict[object, int] = {}
    for number, span in enumerate(task.get("spans") or ()):
        regions.add(span, span.get("label"), [_offsets(span)], number)
        numbers.setdefault(_offsets(span), number)
    for relation in task.get("relations") or ():
        ends = (numbers.get(_offsets(relation[key])) for key in ("head_span", "child_span"))
        regions.link(relation["label"], *ends)
    return str(task["text"])


def _offsets(span: Object) -> tuple[object, object]:
    return span.get("start"), span.get("end")


def _parse_doccano(record: Object, regions: LinkedRegions) -> str:
    if "entities" in record:
        for e in record["entities"]:
            offsets = [(e.get("start_offset"), e.get("end_offset"))]
            regions.add(e, e.get("label"), offsets, e.get("id"))
        for r in record.get("relations") or ():
            regions.link(r["type"], r["from_id"], r["to_id"])
    else:
        # the key depends on doccano's version
        for item in record["labels" if "labels" in record else "label"]:
            start, end, label = item
            regions.add(item, label, [(start, end)])
    return str(record["text"])


def _parse_labelstudio(task: Object, regions: LinkedRegions) -> str | None:
    found = [a for a in task.get("annotations") or () if not a.get("was_cancelled")]
    if not found:
        regions.drop("task without annotation", "it was skipped")
        return None
    chosen, *others = sorted(found, key=lambda annotation: not annotation.get("ground_truth"))
    for other in others:
        regions.drop("second annotation of a task", f"it has {len(other['result'])} results")
    for result in chosen["result"]:
        value = result.get("value", {})
        if result.get("type") == "relation":
            for label in result.get("labels") or [""]:
                regions.link(label, result["from_id"], result["to_id"])
        elif "labels" in value:
            offsets = [(value.get("start"), value.get("end"))]
            # a region can have several types
            for number, label in enumerate(value["labels"] or [None]):
                id = result["id"] if number == 0 else f"{result['id']}-{number}"
                regions.add(result, label, offsets, id, value.get("text"))
    return _text_of(task["data"], regions.place)


def _text_of(data: Object, place: Place) -> str:
    # under the name in the templates, or else the only string
    texts = [value for value in data.values() if isinstance(value, str)]
    if isinstance(data.get("text"), str):
        texts = [data["text"]]
    if len(texts) != 1:
        raise GapDNERError(f'{place}: the task has no "text" in its data.')
    return str(texts[0])
