"""Read and write W2NER's JSON: tokenized sentences with the token indices of their entities."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import Entity
from ..errors import GapDNERError
from .docs import doc_sentences
from .files import file_reader, first_text, parse_json, read_json, read_lines, value_errors
from .outputs import write_parts
from .records import TokenRecord
from .report import Place, Report, reading


@file_reader(".json", ".jsonl")
def read_w2ner(path: Path, report: Report) -> Iterator[TokenRecord]:
    """Read records ``{"sentence": [TOKEN, ...], "ner": [{"index": [...], "type": ...}]}`` from a
    list or from lines. They are named by file and number, starting from 1.
    """
    start = first_text(path).lstrip()
    if not start:
        raise GapDNERError(f"{path} is empty. Check the file.")
    is_list = start.startswith("[")
    values = enumerate(read_json(path) if is_list else read_lines(path), start=1)
    given = ((line, value) for line, value in values if is_list or value.strip())
    for number, (line, value) in enumerate(given, start=1):
        place = Place(str(path), None if is_list else line, f"record {line}")
        with reading(report, place), value_errors(place):
            record = value if is_list else parse_json(value, str(place))
            sentence = _parse(record, f"{path.stem}-{number}", place, report)
            if sentence.tokens:
                yield sentence


def write_w2ner(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write the sentences of Docs without whitespace tokens as a JSON list, one per line."""
    records = (
        {"sentence": tokens, "ner": [{"index": e.token_indices, "type": e.label} for e in found]}
        for _, tokens, found in doc_sentences(docs, spans_key, report)
    )
    parts = (json.dumps(record, ensure_ascii=False) for record in records)
    return write_parts(path, parts, head="[\n", between=",\n", tail="\n]\n")


def _parse(record: Any, name: str, place: Place, report: Report) -> TokenRecord:
    tokens, items = record["sentence"], record["ner"]
    if not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
        raise GapDNERError(
            f'{place} has no list of tokens "sentence". Correct it, or choose the right format.'
        )
    entities: list[Entity] = []
    for item in items:
        index, label = item["index"], item["type"]
        is_index = index and all(type(i) is int and i in range(len(tokens)) for i in index)
        if not is_index or not label or not isinstance(label, str):
            message = f'"index" or "type" is invalid for {len(tokens)} tokens in {str(item)[:80]}'
            report.add("dropped", "malformed entity", message, place)
        elif (entity := Entity.from_tokens(label, index)) in entities:
            message = f"{item} occurs twice"
            report.add("dropped", "duplicate entity", message, place, entity.fragments)
        else:
            entities.append(entity)
    return TokenRecord(name, tuple(tokens), tuple(entities), place)
