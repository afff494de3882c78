"""CoNLL: one token per line, with its tag in the last column: IOB, BIO, BILOU or BIOES."""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from spacy.training.iob_utils import iob_to_biluo, tags_to_entities

from ..entities import Entity
from ..errors import GapDNERError
from .files import file_reader, first_text, read_lines
from .records import TokenRecord
from .report import Place, Report

SUFFIXES = (".conll", ".iob", ".bio", ".tsv", ".txt")
_TAG = re.compile(r"O|[BILUES]-\S+")
_DOC_START = "-DOCSTART-"
# BIOES in the letters of BILOU
_LETTERS = {"E": "L", "S": "U"}


def has_tags(path: Path) -> bool:
    """RETURNS (bool): Whether the first lines of a file have several columns and end with tags."""
    lines = first_text(path).split("\n")[:50]
    rows = [_split(line) for line in lines if line.strip() and not _is_comment(line)]
    return bool(rows) and all(len(row) > 1 and _TAG.fullmatch(row[-1]) for row in rows)


@file_reader(*SUFFIXES)
def read_conll(path: Path, report: Report) -> Iterator[TokenRecord]:
    """Read sentences separated by empty lines, with the tokens in the first column. They are named
    by file and number, starting from 1, with a document for each ``-DOCSTART-``.
    """
    lines = enumerate(read_lines(path), start=1)
    rows = ((n, _split(line)) for n, line in lines if not _is_comment(line))
    number = n_documents = 0
    for is_sentence, group in groupby(rows, key=lambda row: bool(row[1])):
        sentence = list(group)
        if is_sentence and sentence[0][1][0] == _DOC_START:
            n_documents += 1
            # a sentence can follow without an empty line
            del sentence[0]
        if is_sentence and sentence:
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


def _split(line: str) -> list[str]:
    # tokens can contain other spaces
    return re.findall(r"[^ \t]+", line.rstrip())


def _is_comment(line: str) -> bool:
    # the token "#" has a tag
    return line.startswith("#") and not _TAG.fullmatch(line.split()[-1])
