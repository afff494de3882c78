"""Read exports of annotation tools: Prodigy, doccano and Label Studio."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import GapDNERError
from .attributes import split_attributes
from .cleaning import UNITS, count_in, count_misplaced
from .files import file_reader, first_text, read_documents, read_json, value_errors
from .jsonl import ENTITIES
from .linked_regions import LinkedRegions, Object, check_annotator, read_regions
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

ANSWERS = ("accept", "reject", "ignore")
# keys of records that do not describe the document
_OF_TASK = ("text", "spans", "relations", "tokens", "answer", "entities")
_OF_PRODIGY = (*_OF_TASK, "_input_hash", "_task_hash", "_is_binary", "_view_id", "_timestamp")
_DOCCANO_UNITS = ("utf-16", "graphemes", "characters")
_OF_DOCCANO = ("text", "entities", "annotations", "relations", "label", "labels")


def is_prodigy(path: Path) -> bool:
    """RETURNS (bool): Whether a file has tasks of Prodigy, also texts of `predict` with answers."""
    text = first_text(path)
    if not re.search(r'"(spans|_task_hash)"\s*:', text):
        return False
    is_answered = re.search(rf'"answer"\s*:\s*"({"|".join(ANSWERS)})"', text) is not None
    return is_answered or re.search(ENTITIES, text) is None


def is_doccano(path: Path) -> bool:
    """RETURNS (bool): Whether a file has entities of doccano: objects, or [START, END, TYPE]."""
    text = first_text(path)
    if re.search(r'"fragments"\s*:', text):
        return False
    if re.search(r'"start_offset"\s*:|"relations"\s*:\s*\[', text):
        return True
    has_lists = re.search(r'"labels?"\s*:\s*\[\s*[\[\]]', text) is not None
    return has_lists and re.search(ENTITIES, text) is None


def read_prodigy(path: Path, report: Report, annotator: str | None = None) -> Iterator[TextRecord]:
    """Read JSONL of Prodigy: ``{"text": ..., "spans": [...], "relations": [...]}``. Documents are
    named by their "id", otherwise by file and line. If several have the same id or text, their
    "_annotator_id", "_session_id" or file is added, and `annotator` selects one. Tasks that
    were not accepted, binary answers and choices are dropped.
    """
    return _read_lines(path, report, _parse_prodigy, annotator)


def read_doccano(
    path: Path, report: Report, offsets: str = "auto", annotator: str | None = None
) -> Iterator[TextRecord]:
    """Read JSONL of doccano: ``{"text": ..., "label": [[START, END, TYPE]]}``, or with "entities"
    and "relations". Offsets count "utf-16" code units, "characters" or, for projects with this
    setting, "graphemes". By default, they count UTF-16, unless another way has less than half of
    the boundaries inside words. Documents are named by their "id", otherwise by file and line. If
    several have the same id or text, the annotator (the file name) is added, and `annotator`
    selects one.
    """
    if offsets == "auto":
        offsets = _detect_units(path, report)
    return _read_lines(path, report, partial(_parse_doccano, offsets=offsets), annotator)


@file_reader(".json")
def read_labelstudio(path: Path, report: Report, text: str = "") -> Iterator[TextRecord]:
    """Read the JSON that Label Studio exports (not JSON-MIN), with the annotation of each task that
    is marked as ground truth, else the first. Each text tag of the labeling interface is a
    document. `text` is the key of the text in "data". By default, it is the key that contains the
    regions' texts.
    """
    value = read_json(path)
    tasks = value if isinstance(value, list) else [value]
    if any(isinstance(t, dict) and "completions" in t and "annotations" not in t for t in tasks):
        raise GapDNERError(
            f'{path} has "completions": it is an export of a Label Studio version before 1.0. '
            'Rename "completions" to "annotations".'
        )
    if not all(isinstance(t, dict) and isinstance(t.get("data"), dict) for t in tasks):
        raise GapDNERError(f'{path} has no tasks with "data". Export JSON, not JSON-MIN.')
    keys = _text_keys(tasks, path, text)
    for number, task in enumerate(tasks, start=1):
        place = Place(str(path), None, str(task.get("id", f"{path.stem}-{number}")))
        with reading(report, place), value_errors(place):
            yield from _read_task(task, keys, LinkedRegions(place, report))


def _read_lines(
    path: Path, report: Report, parse: Callable[..., str | None], annotator: str | None
) -> Iterator[TextRecord]:
    # the annotators of each name and text; errors are reported when the files are read again
    pairs: set[tuple[object, str]] = set()
    for record, place in read_documents(path, Report(skip=True)):
        name = _annotator(record, place)
        pairs |= {(place.document, name), (hash(record["text"]), name)}
    check_annotator(path, annotator, (name for _, name in pairs))
    counts = Counter(key for key, _ in pairs)

    def chosen() -> Iterator[tuple[Object, Place]]:
        for record, place in read_documents(path, report):
            name = _annotator(record, place)
            several = counts[place.document] > 1 or counts[hash(record["text"])] > 1
            if annotator is None and several:
                place = place._replace(document=f"{place.document}-{name}")
            if annotator in (None, name):
                yield record, place

    return read_regions(chosen(), report, parse, note_repeats=True)


def _annotator(record: Object, place: Place) -> str:
    names = (record.get("_annotator_id"), record.get("_session_id"), Path(place.file or "").stem)
    return str(next(filter(None, names)))


def _parse_prodigy(task: Object, regions: LinkedRegions) -> str | None:
    answer, view = task.get("answer", "accept"), task.get("_view_id")
    if answer != "accept":
        regions.drop("task that was not accepted", f"the answer was {answer!r}")
        return None
    if task.get("_is_binary") or view in ("choice", "classification"):
        kind = "binary answer" if task.get("_is_binary") else f"answer in the interface {view!r}"
        regions.drop(kind, "the text is not fully annotated")
        return None
    # relations refer to spans by offsets, and repeat their labels
    numbers: dict[object, int] = {}
    for number, span in enumerate(task.get("spans") or ()):
        label, offsets = span.get("label"), _offsets(span)
        values = split_attributes({key: span.get(key) for key in ("score", "kb_id")})
        regions.add(span, label, [offsets], span.get("id"), span.get("text"), *values, number)
        numbers.setdefault(offsets, number)
        numbers.setdefault((offsets, label), number)
    for relation in task.get("relations") or ():
        ends = (relation["head_span"], relation["child_span"])
        found = (numbers.get((_offsets(e), e.get("label")), numbers.get(_offsets(e))) for e in ends)
        regions.link(relation["label"], *found)
    regions.store(task, _OF_PRODIGY)
    return str(task["text"])


def _offsets(span: Object) -> tuple[object, object]:
    return span.get("start"), span.get("end")


def _detect_units(path: Path, report: Report) -> str:
    # files do not contain the texts of entities; errors are reported when they are read again
    misplaced: Counter[str] = Counter()
    for record, place in read_documents(path, Report(skip=True)):
        with suppress(GapDNERError), value_errors(place):
            text = str(record["text"])
            pairs = ((start, end) for _, _, start, end in _doccano_entities(record, place))
            entities = [TextEntity("", (p,)) for p in pairs if all(type(i) is int for i in p)]
            ways = [count_in(text, entities, units) for units in _DOCCANO_UNITS]
            # without entities that are the same in all units
            for same in (s for s in zip(*ways, strict=True) if len({e.fragments for e in s}) > 1):
                for units, entity in zip(_DOCCANO_UNITS, same, strict=True):
                    misplaced[units] += count_misplaced(text, (entity,))
    default = _DOCCANO_UNITS[0]
    best = min(_DOCCANO_UNITS, key=misplaced.__getitem__)
    if 2 * misplaced[best] >= misplaced[default]:
        return default
    message = (
        f"with {UNITS[default]}, {misplaced[default]} boundaries of entities would be inside words "
        f"or next to spaces; with {best}, {misplaced[best]}. To change that: --option offsets=UNIT"
    )
    report.add("repaired", f"offsets in {UNITS[best]}", message, Place(str(path)))
    return best


def _parse_doccano(record: Object, regions: LinkedRegions, offsets: str) -> str:
    regions.units = offsets
    for item, label, start, end in _doccano_entities(record, regions.place):
        regions.add(item, label, [(start, end)], item.get("id") if isinstance(item, dict) else None)
    for r in record.get("relations") or () if "entities" in record else ():
        regions.link(r["type"], r["from_id"], r["to_id"])
    regions.store(record, _OF_DOCCANO)
    return str(record["text"])


def _doccano_entities(record: Object, place: Place) -> Iterator[tuple[Any, Any, Any, Any]]:
    # yields the entity, its label and its offsets; the keys depend on doccano's version
    names = ("entities", "annotations", "labels")
    for item in record[next((name for name in names if name in record), "label")]:
        if isinstance(item, dict):
            label, start, end = item.get("label"), item.get("start_offset"), item.get("end_offset")
        else:
            start, end, label = item
        if type(label) is int:
            raise GapDNERError(
                f"{place} has the number {label} instead of a label: it is an export of an old "
                'version of doccano with ids of labels. Export "JSONL (text label)".'
            )
        yield item, label, start, end


def _text_keys(tasks: Sequence[Object], path: Path, chosen: str) -> dict[str, str]:
    # exports lack the labeling interface, which has the key for the name of each text tag
    candidates = {k for task in tasks for k, v in task["data"].items() if isinstance(v, str)}
    fits: dict[str, Counter[str]] = {}
    for task in tasks:
        # invalid tasks are reported when they are parsed
        with suppress(AttributeError, KeyError, TypeError):
            for result in (r for a in task["annotations"] for r in a["result"]):
                value = result.get("value", {})
                if _is_region(value):
                    found = fits.setdefault(str(result.get("to_name", "")), Counter())
                    surface = str(value.get("text") or "")
                    start, end = value["start"], value["end"]
                    for key in candidates.intersection(task["data"]):
                        text = str(task["data"][key])
                        found[key] += (surface in text) + (surface == text[start:end])
    keys = {}
    for name, found in (fits or {"": Counter[str]()}).items():
        order = (chosen, name, "text")
        ranks = {key: (found[key], *(key == n for n in order)) for key in sorted(candidates)}
        best = max(ranks, key=ranks.__getitem__, default="text")
        if not chosen and best in ranks and [*ranks.values()].count(ranks[best]) > 1:
            raise GapDNERError(
                f'{path}: several values of "data" can be the text: {", ".join(ranks)}. '
                "Choose it with --option text=KEY."
            )
        keys[name] = best
    if chosen:
        names = [name for name, key in keys.items() if key == chosen]
        return dict.fromkeys(names, chosen) if 0 < len(names) < len(keys) else {"": chosen}
    # a single text has all annotations
    return keys if len(keys) > 1 else {"": next(iter(keys.values()))}


def _is_region(value: Object) -> bool:
    # regions of HTML can have the same type, but count in its elements
    return "labels" in value and "startOffset" not in value


def _read_task(
    task: Object, keys: Mapping[str, str], dropped: LinkedRegions
) -> Iterator[TextRecord]:
    made = task.get("annotations") or ()
    found = [annotation for annotation in made if not annotation.get("was_cancelled")]
    found.sort(key=lambda annotation: not annotation.get("ground_truth"))
    skipped = [a for a in made if a.get("was_cancelled") and a["result"]]
    unused = {"draft": task.get("drafts") or (), "annotation of a skipped task": skipped}
    for kind, others in {**unused, "second annotation of a task": found[1:]}.items():
        for other in others:
            dropped.drop(kind, f"results of the {kind}: {len(other['result'])}")
    if predictions := task.get("predictions"):
        message = f"the task has predictions: {len(predictions)}"
        dropped.report.add("kept", "unused predictions", message, dropped.place)
    if not found:
        reason = "was skipped" if made else "has no submitted annotation"
        dropped.drop("task without annotation", f"the task {reason}")
        return
    chosen, first = found[0]["result"], next(iter(keys))
    tags = {r["id"]: str(r.get("to_name", "")) for r in chosen if r.get("id")}
    by_tag: dict[str, list[Object]] = {name: [] for name in keys}
    for result in chosen:
        tag = first if "" in keys else tags.get(result.get("id", result.get("from_id")), first)
        if tag in by_tag:
            by_tag[tag].append(result)
        else:
            dropped.drop("annotation without a text", f"the text of {tag!r} is not read")
    strings = [value for value in task["data"].values() if isinstance(value, str)]
    default = strings[0] if len(strings) == 1 else None
    for name, key in keys.items():
        place = dropped.place
        if len(keys) > 1:
            place = place._replace(document=f"{place.document}-{name}")
        with reading(dropped.report, place), value_errors(place):
            text = task["data"].get(key, default)
            if not isinstance(text, str):
                raise GapDNERError(f'{place}: the task has no "{key}" in its data.')
            regions = LinkedRegions(place, dropped.report)
            regions.store(task["data"], tuple(keys.values()))
            for result in by_tag[name]:
                _add_result(result, regions)
            yield regions.to_record(text)


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
    elif _is_region(value):
        offsets, surface = [(value.get("start"), value.get("end"))], value.get("text")
        notes = (result.get("meta") or {}).get("text") or []
        note = "\n".join(map(str, notes)) or None
        values = split_attributes({"note": note, "score": result.get("score")})
        # a region can have several types
        for number, label in enumerate(value["labels"] or [None]):
            id = result["id"] if number == 0 else f"{result['id']}-{number}"
            regions.add(result, label, offsets, id, surface, *values, result["id"])
    else:
        name = "hypertextlabels" if "startOffset" in value else kind
        regions.drop(f"annotation of the type {name}", value)
