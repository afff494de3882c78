"""PubTator: title, abstract, and one line per contiguous entity.

The library bconv needs nltk and a version of lxml that does not support recent Python versions.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ..errors import GapDNERError
from .cleaning import clean_entities, convert_offsets
from .files import file_reader, read_lines
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

SUFFIXES = (".pubtator", ".PubTator", ".txt")
_TEXT = re.compile(r"([^\s|]+)\|[ta]\|(.*)")
# PMID START END MENTION TYPE [ID]
_ENTITY = re.compile(r"\S+\t(\d{1,9})\t(\d{1,9})\t([^\t]*)\t([^\t]+)(?:\t([^\t]*).*)?")


@file_reader(*SUFFIXES)
def read_pubtator(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read articles separated by empty lines and named by their ids. Title and abstract become
    lines of one text; relations are dropped.
    """
    lines = enumerate(read_lines(path), start=1)
    for is_article, group in groupby(lines, key=lambda line: bool(line[1].strip())):
        if is_article:
            article = list(group)
            with reading(report, Place(str(path), article[0][0])):
                yield _parse(article, Place(str(path)), report)


def _parse(lines: list[tuple[int, str]], file: Place, report: Report) -> TextRecord:
    texts, entities = [], []
    name = lines[0][1].split("|")[0]
    for number, line in lines:
        place = file._replace(line=number, document=name)
        if match := _TEXT.fullmatch(line):
            if match[1] != name:
                raise GapDNERError(f"{place} has no empty line before article {match[1]}. Add one.")
            texts.append(match[2])
        elif not texts:
            raise GapDNERError(f"{place} is not a title like 123|t|Title. Choose the right format.")
        elif match := _ENTITY.fullmatch(line):
            start, end, surface, label, reference = match.groups()
            attrs = {} if reference in (None, "", "-", "-1") else {"kb_id": reference}
            offsets = ((int(start), int(end)),)
            entities.append(TextEntity(label, offsets, None, place, surface or None, attrs=attrs))
        else:
            kind = "malformed line" if len(line.split("\t")) != 4 else "relation"
            report.add("dropped", kind, f"cannot keep {line[:80]!r}", place)
    text = "\n".join(texts)
    found = convert_offsets(text, entities, report, file._replace(document=name))
    return TextRecord(name, text, clean_entities(text, found, report), file.file)
