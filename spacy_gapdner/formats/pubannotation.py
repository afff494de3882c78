"""Read and write PubAnnotation JSON: one file per text, with its denotations.

A discontinuous entity is a denotation with a list of spans, or a chain of denotations: the last
has the type, the others are ``_FRAGMENT``, and relations ``_lexicallyChainedTo`` lead backward.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import get_entities
from ..errors import GapDNERError
from .attributes import join_attributes, name_entities, split_attributes
from .docs import DOC_NAME, doc_place
from .files import input_files, read_json
from .linked_regions import FRAGMENT, NO_TYPE, LinkedRegions, Object, read_regions
from .outputs import write_files
from .records import TextRecord
from .report import Place, Report, reading

_CHAINED = "_lexicallyChainedTo"


def read_pubannotation(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read files with a document or a list of documents, with the denotations of all tracks. They
    are named by "sourceid" and "divid" or by file. Relations, modifications and blocks are dropped.
    """
    for file in input_files(path, (".json",)):
        with reading(report, Place(str(file))):
            value = read_json(file)
            items = value if isinstance(value, list) else [value]
            if not all(isinstance(i, dict) and isinstance(i.get("text"), str) for i in items):
                raise GapDNERError(f'{file} has no objects with "text". Choose another format.')
            stem = (file.relative_to(path) if path.is_dir() else Path(file.name)).with_suffix("")
            documents = []
            for number, item in enumerate(items, start=1):
                name = f"{stem.as_posix()}-{number}" if len(items) > 1 else stem.as_posix()
                if item.get("sourceid"):
                    parts = (item["sourceid"], item.get("divid"))
                    name = "-".join(str(part) for part in parts if part not in (None, ""))
                documents.append((item, Place(str(file), None, name)))
            yield from read_regions(documents, report, _parse_pubannotation)


def write_pubannotation(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a .json file per Doc; files with the same name are replaced."""

    def render(doc: Doc) -> dict[str, str]:
        place = doc_place(doc)
        name = doc.user_data.get(DOC_NAME)
        denotations: list[dict[str, Any]] = []
        attributes: list[dict[str, Any]] = []
        for id, entity in name_entities(get_entities(doc, spans_key), report, place):
            spans = [{"begin": start, "end": end} for start, end in entity.char_fragments]
            span = spans if len(spans) > 1 else spans[0]
            denotations.append({"id": id, "span": span, "obj": entity.label_})
            for key, value in join_attributes(entity, report, place).items():
                number = len(attributes) + 1
                attributes.append({"id": f"A{number}", "subj": id, "pred": key, "obj": value})
        result: dict[str, Any] = {} if name is None else {"sourceid": str(name)}
        result |= {"text": doc.text, "denotations": denotations}
        result |= {"attributes": attributes} if attributes else {}
        return {".json": json.dumps(result, ensure_ascii=False, indent=1) + "\n"}

    return write_files(docs, path, render, report)


def _parse_pubannotation(document: Object, regions: LinkedRegions) -> str:
    # each track has its own ids
    tracks = document.get("tracks", ())
    named = ((f"track {number} ", track) for number, track in enumerate(tracks, start=1))
    for prefix, layer in [("", document), *named]:
        denotations = layer.get("denotations", ())
        typed = {str(value.get("id")) for value in denotations if value["obj"] != NO_TYPE}
        attributes: dict[str, dict[str, Any]] = {}
        for value in layer.get("attributes", ()):
            subject, name = str(value["subj"]), str(value["pred"])
            values = attributes.setdefault(subject, {})
            if subject in typed and name not in values:
                values[name] = value["obj"]
            else:
                regions.drop("attribute", value)
        for value in denotations:
            id, span = value.get("id"), value["span"]
            spans = span if isinstance(span, list) else [span]
            offsets = [(part["begin"], part["end"]) for part in spans]
            score, attrs = split_attributes(attributes.get(str(id), {}))
            regions.add(value, value["obj"], offsets, id, None, score, attrs, f"{prefix}{id}")
        for value in layer.get("relations", ()):
            label = FRAGMENT if value["pred"] == _CHAINED else value["pred"]
            regions.link(label, f"{prefix}{value['subj']}", f"{prefix}{value['obj']}")
        for key in ("modifications", "blocks"):
            for value in layer.get(key, ()):
                regions.drop(key[:-1], value)
    return str(document["text"])
