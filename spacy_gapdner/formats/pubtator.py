"""PubTator: title, abstract, and one line per contiguous entity.

The library bconv requires nltk, and a version of lxml that does not support newer Pythons.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ..errors import GapDNERError
from .files import file_reader, first_bytes, read_lines
from .linked_regions import clean_entities
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

_TITLE = re.compile(r"\S+\|t\|")
_TEXT = re.compile(r"([^\s|]+)\|[ta]\|(.*)")
# PMID START END MENTION TYPE [ID]
_ENTITY = re.compile(r"\S+\t(\d{1,9})\t(\d{1,9})\t([^\t]*)\t([^\t]+)(?:\t([^\t]*).*)?")


def has_title(path: Path) -> bool:
    """RETURNS (bool): Whether a file begins with the title of an article."""
    start = first_bytes(path).decode("utf-8", "replace").lstrip("\ufeff\r\n")
    return _TITLE.match(start) is not None


@file_reader(".pubtator", ".PubTator", ".txt")
def read_pubtator(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read articles separated by empty lines and named by their ids. Title and abstract become
    lines of one text; relations are dropped.
    """
    lines = enumerate(read_lines(path, report), start=1)
    for is_article, group in groupby(lines, key=lambda line: bool(line[1].strip())):
        if is_article:
            article = list(group)
            with reading(report, Place(str(path), article[0][0])):
                yield _to_record(article, Place(str(path)), report)


def _to_record(lines: list[tuple[int, str]], file: Place, report: Report) -> TextRecord:
    texts, entities = [], []
    name = lines[0][1].split("|")[0]
    for number, line in lines:
        place = file._replace(line=number, document=name)
        if match := _TEXT.fullmatch(line):
            texts.append(match[2])
        elif not texts:
            raise GapDNERError(
                f"{place} is not a title such as 123|t|Title. Choose the right format."
            )
        elif match := _ENTITY.fullmatch(line):
            start, end, surface, label, reference = match.groups()
            known = reference not in (None, "", "-", "-1")
            attrs = {"kb_id": reference} if known else {}
            offsets = ((int(start), int(end)),)
            entities.append(TextEntity(label, offsets, None, place, surface or None, attrs=attrs))
        else:
            kind = "malformed line" if len(line.split("\t")) != 4 else "relation"
            report.add("dropped", kind, f"cannot hold {line[:80]!r}", place)
    text = "\n".join(texts)
    return TextRecord(name, text, clean_entities(text, entities, report), file.file)
