"""Formats of tokenized sentences.

- inline text of Dai et al. (ACL 2020): lines of tokens, of mentions, and a blank line
- W2NER's JSON: sentences with the token indices of their entities
- CoNLL: one token per line, with its tag in the last column: IOB, BIO, BILOU or BIOES
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby, starmap
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.training.iob_utils import iob_to_biluo, tags_to_entities

from ..entities import Entity, Fragments
from ..errors import GapDNERError
from .docs import doc_sentences
from .files import file_reader, first_text, parse_json, read_json, read_lines, value_errors
from .outputs import write_parts
from .records import TokenRecord
from .report import Place, Report, reading

_DOCUMENT = "Document: "
_MENTION = r"\d{1,9},\d{1,9}(?:,\d{1,9},\d{1,9})* [^\s|]+"
_MENTIONS = re.compile(rf"{_MENTION}(?:\|{_MENTION})*")
_TAG = re.compile(r"O|[BILUES]-\S+")
_DOC_START = "-DOCSTART-"
# BIOES in the letters of BILOU
_LETTERS = {"E": "L", "S": "U"}


def is_inline(path: Path) -> bool:
    """RETURNS (bool): Whether the first line of mentions in a file fits the tokens before it."""
    lines = first_text(path).split("\n")
    for before, line, after in zip(lines, lines[1:], [*lines[2:], ""], strict=False):
        if _MENTIONS.fullmatch(line.strip()):
            indices = [mention.split(" ")[0].split(",") for mention in line.strip().split("|")]
            last = max(int(index) for mention in indices for index in mention)
            return not after.strip() and last < len(before.split())
    return False


# an invalid sentence makes the rest of the file ambiguous
@file_reader(".txt", ".inline")
def read_inline(path: Path, report: Report) -> Iterator[TokenRecord]:
    """Read sentences with mentions such as ``0,1,4,4 ADR|0,0,3,4 ADR``, whose ranges include the
    last token. Sentences are named by file and number, starting from 1, and can follow a line
    ``Document: NAME``.
    """
    lines = enumerate((line.strip() for line in read_lines(path)), start=1)
    number = 0
    for position, line in lines:
        if not line:
            continue
        document, tokens = None, line
        if line.startswith(_DOCUMENT):
            document = line.removeprefix(_DOCUMENT).strip()
            position, tokens = next(lines, (position + 1, ""))
        # the blank lines at the end of the file can be missing
        mentions, blank = next(lines, (0, ""))[1], next(lines, (0, ""))[1]
        number += 1
        place = Place(str(path), position, document)
        if not tokens or blank or not (not mentions or _MENTIONS.fullmatch(mentions)):
            raise GapDNERError(
                f"{place} is not inline text (a line of tokens, one of mentions such as "
                f'"0,1,4,4 ADR|0,0,3,4 ADR" or none, and a blank one): {tokens[:40]!r}, '
                f"{mentions[:40]!r}, {blank[:40]!r}. Choose the right format."
            )
        words = tuple(tokens.split())
        entities = _read_mentions(mentions, len(words), place._replace(line=position + 1), report)
        yield TokenRecord(f"{path.stem}-{number}", words, tuple(entities), place, document)


def write_inline(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write the sentences of Docs without whitespace tokens, each after its document's name."""
    return write_parts(path, starmap(_sentence_lines, doc_sentences(docs, spans_key, report)))


def merge_ranges(
    label: str, ranges: list[tuple[int, int]], report: Report, place: Place, offsets: Fragments
) -> Entity:
    """RETURNS (Entity): The entity of token ranges that include the last token. Adjacent ranges
    become one fragment.
    """
    # the conversion of Dai et al. can produce ranges that end before they begin
    tokens = {i for pair in ranges for i in range(min(pair), max(pair) + 1)}
    entity = Entity.from_tokens(label, tokens)
    if tuple((first, last + 1) for first, last in ranges) != entity.fragments:
        message = f"{label} at tokens {ranges} -> {entity.fragments}"
        report.add("repaired", "fragments normalized", message, place, offsets)
    return entity


def _read_mentions(text: str, n_tokens: int, place: Place, report: Report) -> list[Entity]:
    entities: list[Entity] = []
    for mention in text.split("|") if text else ():
        indices, label = mention.split(" ")
        numbers = [int(n) for n in indices.split(",")]
        ranges = list(zip(numbers[::2], numbers[1::2], strict=True))
        fragments = tuple((first, last + 1) for first, last in ranges)
        if max(numbers) >= n_tokens:
            message = f"{mention!r} of {n_tokens} tokens"
            report.add("dropped", "invalid offsets", message, place, fragments)
            continue
        entity = merge_ranges(label, ranges, report, place, fragments)
        if entity in entities:
            message = f"{mention!r} occurs twice"
            report.add("kept", "duplicate entity", message, place, entity.fragments)
        entities.append(entity)
    return entities


def _sentence_lines(name: str | None, words: list[str], entities: list[Entity]) -> str:
    checks = [("token", word, r"\S+") for word in words]
    checks += [("label", entity.label, r"[^\s|]+") for entity in entities]
    for what, value, pattern in checks:
        if not re.fullmatch(pattern, value):
            raise GapDNERError(
                f"Inline text does not allow the {what} {value!r}, which is empty or contains "
                "whitespace or a bar. Change it, or choose another format."
            )
    mentions = []
    for entity in entities:
        numbers = ",".join(f"{start},{end - 1}" for start, end in entity.fragments)
        mentions.append(f"{numbers} {entity.label}")
    head = f"{_DOCUMENT}{name}\n" if name else ""
    return f"{head}{' '.join(words)}\n{'|'.join(mentions)}\n\n"


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
            sentence = _parse_w2ner(record, f"{path.stem}-{number}", place, report)
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


def _parse_w2ner(record: Any, name: str, place: Place, report: Report) -> TokenRecord:
    tokens, items = record["sentence"], record["ner"]
    if not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
        raise GapDNERError(
            f'{place} has no list of tokens "sentence". Correct it, or choose the right format.'
        )
    entities: list[Entity] = []
    for item in items:
        index, label = item["index"], item["type"]
        is_index = index and all(i in range(len(tokens)) for i in index)
        if not is_index or not label or not isinstance(label, str):
            message = f'"index" or "type" is invalid for {len(tokens)} tokens in {str(item)[:80]}'
            report.add("dropped", "malformed entity", message, place)
        elif (entity := Entity.from_tokens(label, index)) in entities:
            message = f"{item} occurs twice"
            report.add("dropped", "duplicate entity", message, place, entity.fragments)
        else:
            entities.append(entity)
    return TokenRecord(name, tuple(tokens), tuple(entities), place)


def has_tags(path: Path) -> bool:
    """RETURNS (bool): Whether the first lines of a file have several columns and end with tags."""
    lines = first_text(path).split("\n")[:50]
    rows = [line.split() for line in lines if line.strip() and not _is_comment(line)]
    return bool(rows) and all(len(row) > 1 and _TAG.fullmatch(row[-1]) for row in rows)


@file_reader(".conll", ".iob", ".bio", ".tsv", ".txt")
def read_conll(path: Path, report: Report) -> Iterator[TokenRecord]:
    """Read sentences separated by empty lines, with the tokens in the first column. They are named
    by file and number, starting from 1, with a document for each ``-DOCSTART-``.
    """
    lines = enumerate(read_lines(path), start=1)
    rows = ((n, line.split()) for n, line in lines if not _is_comment(line))
    number = n_documents = 0
    for is_sentence, group in groupby(rows, key=lambda row: bool(row[1])):
        sentence = list(group)
        if is_sentence and sentence[0][1][0] == _DOC_START:
            n_documents += 1
        elif is_sentence:
            number += 1
            document = f"{path.stem}-{n_documents}" if n_documents else None
            tags = []
            for line, row in sentence:
                if len(row) < 2 or not _TAG.fullmatch(row[-1]):
                    raise GapDNERError(
                        f"{path}:{line}: {row[-1][:40]!r} is not a tag such as O or B-ADE. "
                        "Correct the line, or choose the right format."
                    )
                tags.append(_LETTERS.get(row[-1][0], row[-1][0]) + row[-1][1:])
            found = tags_to_entities(iob_to_biluo(tags))
            entities = tuple(Entity(label, ((first, last + 1),)) for label, first, last in found)
            words = tuple(row[0] for _, row in sentence)
            place = Place(str(path), sentence[0][0], document)
            yield TokenRecord(f"{path.stem}-{number}", words, entities, place, document)


def _is_comment(line: str) -> bool:
    # the token "#" has a tag
    return line.startswith("#") and not _TAG.fullmatch(line.split()[-1])
