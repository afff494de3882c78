"""Read PubTator: title, abstract, and one line per entity, or per fragment of an entity with an id.

The library bconv needs nltk and a version of lxml that does not support recent Python versions.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from ..errors import GapDNERError
from .cleaning import clean_entities, convert_offsets
from .files import file_reader, read_lines
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

SUFFIXES = (".pubtator", ".PubTator", ".txt")
_TEXT = re.compile(r"([^\s|]+)\|[ta]\|(.*)")
# PMID START END MENTION TYPE [ID [OTHER ...]];  PMID TYPE ID ID [OTHER ...]
_ENTITY = re.compile(r"\S+\t(\d{1,9})\t(\d{1,9})\t([^\t]*)\t([^\t]+)(?:\t([^\t]*)(?:\t(.*))?)?")
# PMID T1 TYPE START END MENTION
_FRAGMENT = re.compile(r"\S+\t(T\d+)\t([^\t]+)\t(\d{1,9})\t(\d{1,9})\t([^\t]*)")
_RELATION = re.compile(r"\S+\t(?!\d+\t\d+\t)[^\t]+\t[^\t]+\t[^\t]+(?:\t.*)?")


@file_reader(*SUFFIXES)
def read_pubtator(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read articles separated by empty lines and named by their ids. Title and abstract become
    lines of one text; relations are dropped. The seventh and later columns of an entity, such as
    the written-out mentions of a coordination, become attributes: ``column_7``, ... If entities
    have ids, as in the files of bconv, lines with the same id are fragments of one entity.
    """
    lines = enumerate(read_lines(path), start=1)
    for is_article, group in groupby(lines, key=lambda line: bool(line[1].strip())):
        if is_article:
            article = list(group)
            with reading(report, Place(str(path), article[0][0])):
                yield _parse(article, Place(str(path)), report)


def _parse(lines: list[tuple[int, str]], file: Place, report: Report) -> TextRecord:
    texts: list[str] = []
    entities: list[TextEntity] = []
    numbers: dict[str, int] = {}
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
            start, end, surface, label, reference, others = match.groups()
            attrs: dict[str, Any] = {}
            if reference not in (None, "", "-", "-1"):
                attrs["kb_id"] = reference
            columns = enumerate((others or "").split("\t"), start=7)
            if values := {f"column_{n}": column for n, column in columns if column}:
                attrs["_"] = values
            offsets = ((int(start), int(end)),)
            entities.append(TextEntity(label, offsets, None, place, surface or None, attrs=attrs))
        elif match := _FRAGMENT.fullmatch(line):
            id, label, start, end, surface = match.groups()
            part = TextEntity(label, ((int(start), int(end)),), id, place, surface)
            if numbers.setdefault(id, len(entities)) == len(entities):
                entities.append(part)
            else:
                first = entities[numbers[id]]
                fragments = (*first.fragments, *part.fragments)
                surface = f"{first.surface} {part.surface}"
                entities[numbers[id]] = replace(first, fragments=fragments, surface=surface)
        else:
            kind = "relation" if _RELATION.fullmatch(line) else "malformed line"
            report.add("dropped", kind, f"cannot keep {line[:80]!r}", place)
    text = "\n".join(texts)
    found = convert_offsets(text, entities, report, file._replace(document=name))
    return TextRecord(name, text, clean_entities(text, found, report), file.file)
