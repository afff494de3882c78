"""Exports of annotation tools: Prodigy, doccano and Label Studio."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import GapDNERError
from .files import file_reader, read_documents, read_json, value_errors
from .linked_regions import LinkedRegions, Object, read_regions, split_attributes
from .records import TextRecord
from .report import Place, Report, reading

# keys of Prodigy's tasks that do not describe the document
_OF_TASK = ("text", "spans", "relations", "tokens", "answer")
_OF_PRODIGY = (*_OF_TASK, "_input_hash", "_task_hash", "_is_binary", "_view_id", "_timestamp")
_OF_DOCCANO = ("text", "entities", "relations", "label", "labels")


def read_prodigy(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read JSONL of Prodigy: ``{"text": ..., "spans": [...], "relations": [...]}``. Documents are
    named by their "id", else by file and line. Tasks that were not accepted are dropped.
    """
    return read_regions(read_documents(path, report), report, _parse_prodigy)


def read_doccano(path: Path, report: Report, offsets: str = "utf-16") -> Iterator[TextRecord]:
    """Read JSONL of doccano: ``{"text": ..., "label": [[START, END, TYPE]]}``, or with "entities"
    and "relations". Offsets count "utf-16" code units, "characters" or, for projects with this
    setting, "graphemes". Documents are named by their "id", else by file and line.
    """
    parse = partial(_parse_doccano, offsets=offsets)
    return read_regions(read_documents(path, report), report, parse)


@file_reader(".json")
def read_labelstudio(path: Path, report: Report, text: str = "") -> Iterator[TextRecord]:
    """Read the JSON that Label Studio exports (not JSON-MIN), with the annotation of each task that
    is marked as ground truth, else the first. Each text tag of the labeling interface is a
    document. By default, `text`, its key in "data", is the one that contains the regions' texts.
    """
    value = read_json(path)
    tasks = value if isinstance(value, list) else [value]
    if not all(isinstance(t, dict) and isinstance(t.get("data"), dict) for t in tasks):
        raise GapDNERError(f'{path} has no tasks with "data". Choose the right format.')
    keys = {"": text} if text else _text_keys(tasks, path)
    for number, task in enumerate(tasks, start=1):
        place = Place(str(path), None, str(task.get("id", f"{path.stem}-{number}")))
        with reading(report, place), value_errors(place):
            yield from _read_task(task, keys, LinkedRegions(place, report))


def _parse_prodigy(task: Object, regions: LinkedRegions) -> str | None:
    answer = task.get("answer", "accept")
    if answer != "accept":
        regions.drop("task that was not accepted", f"the answer was {answer!r}")
        return None
    # relations refer to spans by offsets, and repeat their labels
    numbers: dict[object, int] = {}
    for number, span in enumerate(task.get("spans") or ()):
        label, offsets = span.get("label"), _offsets(span)
        values = {key: span[key] for key in ("score", "kb_id") if span.get(key) is not None}
        score, attrs = split_attributes(values)
        id = span.get("id")
        regions.add(span, label, [offsets], id, None, score, attrs, link_id=number)
        numbers.setdefault(offsets, number)
        numbers.setdefault((offsets, label), number)
    for relation in task.get("relations") or ():
        ends = (relation["head_span"], relation["child_span"])
        found = (numbers.get((_offsets(e), e.get("label")), numbers.get(_offsets(e))) for e in ends)
        regions.link(relation["label"], *found)
    regions.extra = _metadata(task, _OF_PRODIGY)
    return str(task["text"])


def _offsets(span: Object) -> tuple[object, object]:
    return span.get("start"), span.get("end")


def _metadata(record: Object, others: Sequence[str]) -> dict[str, Any]:
    empty: tuple[object, ...] = (None, "", [], {})
    return {k: value for k, value in record.items() if k not in others and value not in empty}


def _parse_doccano(record: Object, regions: LinkedRegions, offsets: str) -> str:
    regions.units = offsets
    if "entities" in record:
        for e in record["entities"]:
            pair = (e.get("start_offset"), e.get("end_offset"))
            regions.add(e, e.get("label"), [pair], e.get("id"))
        for r in record.get("relations") or ():
            regions.link(r["type"], r["from_id"], r["to_id"])
    else:
        # the key depends on doccano's version
        for item in record["labels" if "labels" in record else "label"]:
            start, end, label = item
            regions.add(item, label, [(start, end)])
    regions.extra = _metadata(record, _OF_DOCCANO)
    return str(record["text"])


def _text_keys(tasks: Sequence[Object], path: Path) -> dict[str, str]:
    # exports lack the labeling interface, which has the key for the name of each text tag
    candidates: set[str] = set()
    fits: dict[str, Counter[str]] = {}
    for task in tasks:
        texts = {key: value for key, value in task["data"].items() if isinstance(value, str)}
        candidates.update(texts)
        # invalid tasks are reported when they are parsed
        with suppress(AttributeError, KeyError, TypeError):
            for result in (r for a in task["annotations"] for r in a["result"]):
                value = result.get("value", {})
                if "labels" in value:
                    found = fits.setdefault(str(result.get("to_name", "")), Counter())
                    surface = str(value.get("text") or "")
                    start, end = value["start"], value["end"]
                    for key, text in texts.items():
                        found[key] += (surface in text) + (surface == text[start:end])
    keys = {}
    for name, found in (fits or {"": Counter[str]()}).items():
        ranks = {key: (found[key], key == name, key == "text") for key in sorted(candidates)}
        best = max(ranks, key=ranks.__getitem__, default="text")
        if best in ranks and [*ranks.values()].count(ranks[best]) > 1:
            raise GapDNERError(
                f'{path}: cannot tell which value of "data" is the text: {", ".join(ranks)}. '
                "Choose it with --option text=KEY."
            )
        keys[name] = best
    return keys


def _read_task(
    task: Object, keys: Mapping[str, str], dropped: LinkedRegions
) -> Iterator[TextRecord]:
    # yields a document for each text tag
    unused = [("draft", draft) for draft in task.get("drafts") or ()]
    found = []
    for annotation in task.get("annotations") or ():
        if not annotation.get("was_cancelled"):
            found.append(annotation)
        elif annotation["result"]:
            unused.append(("annotation of a skipped task", annotation))
    found.sort(key=lambda annotation: not annotation.get("ground_truth"))
    unused += [("second annotation of a task", other) for other in found[1:]]
    for kind, other in unused:
        dropped.drop(kind, f"it has {len(other['result'])} results")
    if not found:
        dropped.drop("task without annotation", "it was skipped")
        return
    chosen = found[0]["result"]
    tags = {r["id"]: str(r.get("to_name", "")) for r in chosen if r.get("id")}
    first = next(iter(keys))
    strings = [value for value in task["data"].values() if isinstance(value, str)]
    texts = {
        k: task["data"].get(k, strings[0] if len(strings) == 1 else None) for k in keys.values()
    }
    for key, text in texts.items():
        if not isinstance(text, str):
            raise GapDNERError(f'{dropped.place}: the task has no "{key}" in its data.')
    for name, key in keys.items():
        place = dropped.place
        if len(keys) > 1:
            place = place._replace(document=f"{place.document}-{name}")
        with reading(dropped.report, place), value_errors(place):
            regions = LinkedRegions(place, dropped.report)
            regions.extra = _metadata(task["data"], tuple(keys.values()))
            for result in chosen:
                tag = tags.get(result.get("id", result.get("from_id")), first)
                if len(keys) == 1 or name == tag:
                    _add_result(result, regions)
            yield regions.to_record(texts[key])
    if len(keys) > 1:
        for tag in tags.values():
            if tag not in keys:
                dropped.drop("annotation without a text", tag)


def _add_result(result: Object, regions: LinkedRegions) -> None:
    value, kind = result.get("value", {}), result.get("type")
    if kind == "relation":
        ends = [result["from_id"], result["to_id"]]
        direction = result.get("direction", "right")
        for label in result.get("labels") or [""]:
            if direction != "left":
                regions.link(label, *ends)
            if direction in ("left", "bi"):
                regions.link(label, *reversed(ends))
    elif "labels" in value:
        offsets = [(value.get("start"), value.get("end"))]
        notes = (result.get("meta") or {}).get("text") or []
        attrs = {"_": {"note": "\n".join(map(str, notes))}} if notes else {}
        # a region can have several types
        for number, label in enumerate(value["labels"] or [None]):
            id = result["id"] if number == 0 else f"{result['id']}-{number}"
            regions.add(result, label, offsets, id, value.get("text"), None, attrs)
    else:
        regions.drop(f"annotation of the type {kind}", value)
