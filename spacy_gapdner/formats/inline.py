"""Read and write the inline text of Dai et al. (ACL 2020): lines of tokens, of mentions, and a
blank line."""

import re
from collections.abc import Iterable, Iterator
from itertools import starmap
from pathlib import Path

from spacy.tokens import Doc

from ..entities import Entity, Fragments
from ..errors import GapDNERError
from .files import file_reader, first_text, read_lines
from .outputs import write_parts
from .report import Place, Report
from .sentences import TokenRecord, doc_sentences

SUFFIXES = (".txt", ".inline")
_DOCUMENT = "Document: "
_MENTION = r"\d{1,9},\d{1,9}(?:,\d{1,9},\d{1,9})* [^\s|]+"
_MENTIONS = re.compile(rf"{_MENTION}(?:\|{_MENTION})*")


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
@file_reader(*SUFFIXES)
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
                f"{place} is not inline text (a line of tokens, a line of entities such as "
                '"0,1,4,4 ADR|0,0,3,4 ADR", which can be empty, and a blank line): '
                f"{tokens[:40]!r}, {mentions[:40]!r}, {blank[:40]!r}. Choose the right format."
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
    """RETURNS (Entity): The entity of token ranges that include their last token."""
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
            report.add("dropped", "duplicate entity", message, place, entity.fragments)
        else:
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
    numbers = (",".join(f"{start},{end - 1}" for start, end in e.fragments) for e in entities)
    mentions = (f"{n} {entity.label}" for n, entity in zip(numbers, entities, strict=True))
    name = " ".join((name or "").split())
    head = f"{_DOCUMENT}{name}\n" if name else ""
    return f"{head}{' '.join(words)}\n{'|'.join(mentions)}\n\n"
