"""W2NER's JSON: tokenized sentences with the token indices of their entities."""

import json
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import Entity
from ..errors import GapDNERError
from .docs import DOC_NAME, doc_sentences
from .files import file_reader, first_bytes, parse_each, parse_json, read_json, read_lines
from .outputs import writing
from .records import TokenRecord
from .report import Place, Report


def has_sentences(path: Path) -> bool:
    """RETURNS (bool): Whether the first bytes of a file contain the key "sentence"."""
    return b'"sentence"' in first_bytes(path)


@file_reader(".json", ".jsonl")
def read_w2ner(path: Path, report: Report) -> Iterator[TokenRecord]:
    """Read records ``{"sentence": [TOKEN, ...], "ner": [{"index": [...], "type": ...}]}`` from a
    list or from lines. They are named by file and number, starting from 1.
    """
    numbers = count(1)
    yield from parse_each(
        _load(path),
        report,
        lambda record, place: _parse(record, f"{path.stem}-{next(numbers)}", place, report),
    )


def write_w2ner(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write the sentences of Docs as a JSON list, with one record per line."""
    number = 0
    names: dict[str, None] = {}
    with writing(path) as stream:
        stream.write("[")
        for doc in docs:
            names.setdefault(doc.user_data.get(DOC_NAME, ""))
            for tokens, entities in doc_sentences(doc, spans_key, report):
                ner = [{"index": list(e.token_indices), "type": e.label} for e in entities]
                record = {"sentence": tokens, "ner": ner}
                stream.write(",\n" if number else "\n")
                stream.write(json.dumps(record, ensure_ascii=False))
                number += 1
        stream.write("\n]\n")
    if found := [name for name in names if name]:
        message = f"no place for the names of {len(found)} documents, the first {found[0]!r:.80}"
        report.add("kept", "names of documents in W2NER", message, Place(str(path)))
    return number


def _load(path: Path) -> Iterator[tuple[Any, Place]]:
    start = first_bytes(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise GapDNERError(f"{path} is empty. Check the file.")
    if start.startswith(b"["):
        for number, record in enumerate(read_json(path), start=1):
            yield record, Place(str(path), None, f"record {number}")
        return
    for number, line in enumerate(read_lines(path), start=1):
        place = Place(str(path), number, f"record {number}")
        if line.strip():
            yield parse_json(line, str(place)), place


def _parse(record: Any, name: str, place: Place, report: Report) -> Iterator[TokenRecord]:
    values = record if isinstance(record, dict) else {}
    tokens, items = values.get("sentence"), values.get("ner")
    is_text = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    if not is_text or not isinstance(items, list):
        raise GapDNERError(
            f'{place} has no list of tokens "sentence" or no list "ner". Correct it, or choose the '
            "right format."
        )
    if not tokens or not all(tokens):
        report.add("dropped", "malformed sentence", "no token, or one that is empty", place)
        for item in items:
            report.add("dropped", "entity of a malformed sentence", str(item)[:80], place)
        return
    parsed: dict[Entity, None] = {}
    for item in items:
        entity = _parse_entity(item, len(tokens), place, report)
        if entity in parsed:
            message = f"{item} occurs twice"
            report.add("dropped", "duplicate entity", message, place, entity.fragments)
        elif entity is not None:
            parsed[entity] = None
    yield TokenRecord(name, tuple(tokens), tuple(parsed), place)


def _parse_entity(item: Any, n_tokens: int, place: Place, report: Report) -> Entity | None:
    values = item if isinstance(item, dict) else {}
    index, label = values.get("index"), values.get("type")
    # bool is a subclass of int
    is_index = isinstance(index, list) and all(type(i) is int for i in index)
    if not index or not is_index or not isinstance(label, str) or not label:
        message = f'no "index" list and "type" in {str(item)[:80]}'
        report.add("dropped", "malformed entity", message, place)
        return None
    if min(index) < 0 or max(index) >= n_tokens:
        message = f"{label} at {index} of {n_tokens} tokens"
        report.add("dropped", "offsets out of range", message, place)
        return None
    entity = Entity.from_tokens(label, index)
    if list(entity.token_indices) != index:
        message = f"{label} has the indices {index}"
        kind = "token indices out of order or repeated"
        report.add("repaired", kind, message, place, entity.fragments)
    return entity
