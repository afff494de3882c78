"""Read PubTator: title, abstract, and one line per entity, or per fragment of an entity with an id.

The library bconv needs nltk and a version of lxml that does not support recent Python versions.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from ..errors import GapDNERError
from .files import file_reader, read_lines
from .linked_regions import FRAGMENT, LinkedRegions, read_regions
from .records import TextRecord
from .report import Place, Report

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
    groups = groupby(lines, key=lambda line: bool(line[1].strip()))
    articles = (list(group) for is_article, group in groups if is_article)
    places = (
        (article, Place(str(path), None, article[0][1].split("|")[0])) for article in articles
    )
    yield from read_regions(places, report, _parse)


def _parse(lines: list[tuple[int, str]], regions: LinkedRegions) -> str:
    texts: list[str] = []
    firsts: dict[str, int] = {}
    article = regions.place
    for number, line in lines:
        regions.place = place = article._replace(line=number)
        if match := _TEXT.fullmatch(line):
            if match[1] != article.document:
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
            regions.add(line, label, [(int(start), int(end))], None, surface, attrs=attrs)
        elif match := _FRAGMENT.fullmatch(line):
            id, label, start, end, surface = match.groups()
            regions.add(line, label, [(int(start), int(end))], id, surface, link_id=number)
            if firsts.setdefault(id, number) != number:
                regions.link(FRAGMENT, firsts[id], number)
        else:
            kind = "relation" if _RELATION.fullmatch(line) else "malformed line"
            regions.drop(kind, f"cannot keep {line[:80]!r}")
    regions.place = article
    return "\n".join(texts)
