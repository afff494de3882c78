"""Read and write W2NER's JSON: tokenized sentences with the token indices of their entities."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import Entity
from ..errors import GapDNERError
from .files import file_reader, read_json, value_errors
from .outputs import write_parts
from .report import Place, Report, reading
from .sentences import TokenRecord, doc_sentences


@file_reader(".json")
def read_w2ner(path: Path, report: Report) -> Iterator[TokenRecord]:
    """Read a list of ``{"sentence": [TOKEN, ...], "ner": [{"index": [...], "type": ...}]}``. The
    sentences are named by file and number, starting from 1.
    """
    records = read_json(path)
    if not isinstance(records, list):
        raise GapDNERError(f"{path} is not a list of sentences. Write a JSON list.")
    for number, record in enumerate(records, start=1):
        place = Place(str(path), None, f"record {number}")
        with reading(report, place), value_errors(place):
            tokens = record["sentence"]
            if not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
                raise GapDNERError(f'{place} has no list of tokens "sentence". Correct it.')
            entities = _read_entities(record["ner"], len(tokens), place, report)
            if tokens:
                yield TokenRecord(f"{path.stem}-{number}", tuple(tokens), entities, place)


def write_w2ner(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write the sentences of Docs without whitespace tokens as a JSON list, one per line."""
    records = (
        {"sentence": tokens, "ner": [{"index": e.token_indices, "type": e.label} for e in found]}
        for _, tokens, found in doc_sentences(docs, spans_key, report)
    )
    parts = (json.dumps(record, ensure_ascii=False) for record in records)
    return write_parts(path, parts, head="[\n", between=",\n", tail="\n]\n")


def _read_entities(
    items: list[Any], n_tokens: int, place: Place, report: Report
) -> tuple[Entity, ...]:
    entities: dict[Entity, None] = {}
    for item in items:
        index, label = item["index"], item["type"]
        is_index = index and all(type(i) is int and 0 <= i < n_tokens for i in index)
        if not is_index or not label or not isinstance(label, str):
            message = f'"index" or "type" is invalid for {n_tokens} tokens in {str(item)[:80]}'
            report.add("dropped", "malformed entity", message, place)
        elif (entity := Entity.from_tokens(label, index)) in entities:
            message = f"{item} occurs twice"
            report.add("dropped", "duplicate entity", message, place, entity.fragments)
        else:
            entities[entity] = None
    return tuple(entities)
