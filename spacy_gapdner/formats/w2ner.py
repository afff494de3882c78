"""W2NER's JSON: tokenised sentences with the indices of their entities' tokens."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import ijson
from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, Entity
from ..errors import GapDNERError
from .docs import DOC_NAME
from .files import read_text, require_file, unique_keys, visible_files
from .from_docs import doc_sentences
from .outputs import replacing
from .records import TokenRecord
from .report import Place, Report, reading

SUFFIXES = (".json", ".jsonl")
# whitespace and the byte order mark
_BLANK = b"\xef\xbb\xbf \t\r\n"

# the keys of the format
_OF_RECORDS, _OF_ENTITIES = ("sentence", "ner"), ("index", "type")
_OPENING, _CLOSING = ("start_map", "start_array"), ("end_map", "end_array")
# a record has a depth of 5
_MAX_DEPTH = 100


def has_sentences(path: Path) -> bool:
    """Find out whether a file is W2NER's, by its first bytes.

    path (Path): The file.
    RETURNS (bool): True if they hold the key "sentence".
    """
    with path.open("rb") as stream:
        return b'"sentence"' in stream.read(1 << 16)


def read_w2ner(path: Path, report: Report) -> Iterator[TokenRecord]:
    """Read records ``{"sentence": [TOKEN, ...], "ner": [{"index": [...], "type": ...}]}``.

    path (Path): A JSON file with a list of records, one with a record a line, or a folder of
        such files.
    report (Report): Takes what is dropped or repaired.
    YIELDS (TokenRecord): Sentences in order, named by file and number from 1 on.
    RAISES (GapDNERError): If a file is not JSON, or a record is no such object.
    """
    path = Path(path)
    if path.is_dir():
        files = visible_files(path, SUFFIXES)
        if not files:
            raise GapDNERError(f"{path} holds no .json or .jsonl file. Check path and format.")
    else:
        files = [path]
    for file in files:
        with reading(report, Place(str(file))):
            for number, (record, place) in enumerate(_load(file, report), start=1):
                with reading(report, place):
                    parsed = _parse(record, f"{file.stem}-{number}", place, report)
                    if parsed is not None:
                        yield parsed


def write_w2ner(
    docs: Iterable[Doc],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write the sentences of Docs as a JSON list, one record a line.

    docs (Iterable[Doc]): Docs with entities. One without sentence boundaries is one sentence.
    path (Path): The file to write.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes the entities that no sentence holds, and the names of
        documents.
    RETURNS (int): The number of sentences written.
    """
    report = Report() if report is None else report
    number = n_named = 0
    first = None
    with replacing(Path(path)) as temporary, temporary.open("w", encoding="utf-8") as stream:
        stream.write("[")
        for doc in docs:
            if name := doc.user_data.get(DOC_NAME):
                first, n_named = first or name, n_named + 1
            for tokens, entities in doc_sentences(doc, spans_key, report):
                ner = [{"index": list(e.token_indices), "type": e.label} for e in entities]
                record = {"sentence": tokens, "ner": ner}
                stream.write(",\n" if number else "\n")
                stream.write(json.dumps(record, ensure_ascii=False))
                number += 1
        stream.write("\n]\n")
    if n_named:
        message = f"no place for the names of {n_named} Docs, the first {first!r:.80}"
        report.add("kept", "names of documents in W2NER", message, Place(str(path)))
    return number


def _load(path: Path, report: Report) -> Iterator[tuple[Any, Place]]:
    require_file(path)
    with path.open("rb") as stream:
        first = next(filter(None, (line.strip(_BLANK) for line in stream)), b"")
    if not first:
        raise GapDNERError(f"{path} is empty. Check the file.")
    if first.startswith(b"["):
        for number, record in enumerate(_list_items(path, report), start=1):
            yield record, Place(str(path), None, f"record {number}")
        return
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            if raw.strip(_BLANK):
                yield _decode(raw, path, number), Place(str(path), number, f"record {number}")


def _list_items(path: Path, report: Report) -> Iterator[Any]:
    n_items = 0
    try:
        for item in _stream_list(path):
            yield item
            n_items += 1
    # not JSON, not UTF-8, a number of too many digits, a key given twice, or nesting too deep: json
    # tells where
    except (ijson.JSONError, ValueError, RecursionError):
        yield from islice(_decode(read_text(path, report), path, 1), n_items, None)


class _UniqueDict(dict[str, Any]):
    """Takes each key once; `unique_keys` tells which comes twice."""

    def __setitem__(self, key: str, value: Any) -> None:
        if key in self:
            raise ValueError
        super().__setitem__(key, value)


def _stream_list(path: Path) -> Iterator[Any]:
    with path.open("rb") as stream:
        if stream.read(len(BOM_UTF8)) != BOM_UTF8:
            stream.seek(0)
        depth, builder = 0, ijson.ObjectBuilder(_UniqueDict)
        # not ijson.items: its memory grows with the square of the depth
        for event, value in ijson.basic_parse(stream, use_float=True):
            depth += (event in _OPENING) - (event in _CLOSING)
            if depth > _MAX_DEPTH:
                raise RecursionError
            if depth == 0 or (depth == 1 and event in _OPENING):
                continue
            builder.event(event, value)
            if depth == 1:
                yield builder.value
                builder = ijson.ObjectBuilder(_UniqueDict)


def _decode(raw: str | bytes, path: Path, line: int) -> Any:
    try:
        # not bytes to json.loads: it would guess another encoding
        text = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        raise GapDNERError(
            f"{path}:{line + error.lineno - 1} is not JSON ({error.msg}, column {error.colno}). "
            "Is the file cut off, or of another format?"
        ) from None
    except RecursionError:
        raise GapDNERError(f"{path}:{line} nests too deep. Choose the right format.") from None
    except UnicodeDecodeError as error:
        raise GapDNERError(
            f"{path}:{line} is not UTF-8: byte 0x{error.object[error.start]:02x} at position "
            f"{error.start} of the line. Convert the file to UTF-8 first."
        ) from None
    except ValueError as error:
        raise GapDNERError(f"{path}:{line} cannot be read: {error}. Correct it.") from None


def _parse(record: Any, name: str, place: Place, report: Report) -> TokenRecord | None:
    where = f"{place}, {place.document}"
    if not isinstance(record, dict) or "sentence" not in record or "ner" not in record:
        raise GapDNERError(
            f'{where}: no object with "sentence" and "ner". Choose the right format.'
        )
    tokens, entities = record["sentence"], record["ner"]
    if not _is_list(tokens, str) or not _is_list(entities, dict):
        raise GapDNERError(
            f'{where}: "sentence" must be a list of texts and "ner" a list of objects. Correct it.'
        )
    if not tokens or not all(map(_is_text, tokens)):
        message = f"{place.document}: no token, or one that is empty or no valid Unicode"
        report.add("dropped", "malformed sentence", message, place)
        for item in entities:
            message = f"{place.document}: {str(item)[:80]}"
            report.add("dropped", "entity of a malformed sentence", message, place)
        return None
    if others := [key for key in record if key not in _OF_RECORDS]:
        message = f"{place.document}: no place for {', '.join(map(repr, others))}"
        report.add("kept", "further keys of a sentence", message, place)
    parsed: dict[Entity, None] = {}
    for item in entities:
        entity = _parse_entity(item, len(tokens), place, report)
        if entity in parsed:
            message = f"{place.document}: {item} occurs twice"
            report.add("dropped", "duplicate entity", message, place, entity.fragments)
        elif entity is not None:
            parsed[entity] = None
            report.note_keys(item, _OF_ENTITIES, entity.label, place)
    return TokenRecord(name, tuple(tokens), tuple(parsed), place)


def _parse_entity(
    item: dict[str, Any], n_tokens: int, place: Place, report: Report
) -> Entity | None:
    index, label = item.get("index"), item.get("type")
    if not _is_list(index, int) or not index or not isinstance(label, str) or not _is_text(label):
        message = f'{place.document}: no "index" list and "type" in {str(item)[:80]}'
        report.add("dropped", "malformed entity", message, place)
        return None
    if min(index) < 0 or max(index) >= n_tokens:
        message = f"{place.document}: {label} at {index} of {n_tokens} tokens"
        report.add("dropped", "offsets out of range", message, place)
        return None
    entity = Entity.from_tokens(label, index)
    if list(entity.token_indices) != index:
        message = f"{place.document}: {label} has the indices {index}"
        kind = "token indices out of order or repeated"
        report.add("repaired", kind, message, place, entity.fragments)
    return entity


def _is_text(text: str) -> bool:
    # JSON can escape half a surrogate pair, which no file can hold
    return bool(text) and text == text.encode("utf-8", "ignore").decode("utf-8")


def _is_list(value: Any, kind: type) -> bool:
    # bool is an int to Python, but no index
    return isinstance(value, list) and all(
        isinstance(item, kind) and not isinstance(item, bool) for item in value
    )
