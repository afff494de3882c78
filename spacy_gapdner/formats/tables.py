"""Write tables with one row per entity, for spreadsheets and data frames."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities
from .docs import DOC_NAME
from .outputs import replacing
from .report import Report, format_offsets

if TYPE_CHECKING:
    import pandas

COLUMNS = {
    "document": "string",
    "type": "string",
    "text": "string",
    "start": "int64",
    "end": "int64",
    "fragments": "string",
    "discontinuous": "bool",
    "score": "float64",
    "kb_id": "string",
    "sentence": "string",
}
# Python 3.10 cannot write NUL
_LINE_BREAK = re.compile("[\0\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")


def write_rows(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write rows as a CSV file, with spaces instead of line breaks, and rounded numbers."""
    # Excel reads UTF-8 only with a byte order mark
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(map(_cell, row) for row in rows)


def _cell(value: object) -> object:
    if isinstance(value, str):
        return _LINE_BREAK.sub(" ", value).rstrip()
    return round(value, 6) if isinstance(value, float) else value


def entity_rows(
    docs: Iterable[Doc], spans_key: str = DEFAULT_SPANS_KEY
) -> Iterator[tuple[Any, ...]]:
    """YIELDS (tuple[Any, ...]): The values of `COLUMNS` for each entity. Documents without a name
    are numbered from 1, and fragments are character offsets such as "0 6;20 24".
    """
    for number, doc in enumerate(docs, start=1):
        has_sentences = doc.has_annotation("SENT_START")
        for entity in get_entities(doc, spans_key):
            # an entity can cross sentence boundaries
            first, last = doc[entity.start], doc[entity.end - 1]
            context = doc[first.sent.start : last.sent.end] if has_sentences else doc
            yield (
                str(doc.user_data.get(DOC_NAME, number)),
                entity.label_,
                entity.text,
                entity.start_char,
                entity.end_char,
                format_offsets(entity.char_fragments),
                entity.is_discontinuous,
                entity.score,
                entity.kb_id_,
                context.text,
            )


def to_dataframe(
    docs: Doc | Iterable[Doc], *, spans_key: str = DEFAULT_SPANS_KEY
) -> "pandas.DataFrame":
    """Make a data frame with one row per entity. Fragments are offsets such as "0 6;20 24".

    docs (Union[Doc, Iterable[Doc]]): The documents.
    spans_key (str): Prefix of the span groups.
    RETURNS (pandas.DataFrame): The data frame.
    RAISES (ImportError): If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("Install pandas: pip install 'spacy-gapdner[tables]'.") from error
    docs = [docs] if isinstance(docs, Doc) else docs
    return pd.DataFrame(list(entity_rows(docs, spans_key)), columns=list(COLUMNS)).astype(COLUMNS)


def write_csv(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write entities as CSV, see `entity_rows`. Texts such as "=1+1" are not escaped: import the
    columns into a spreadsheet as text.
    """
    rows = list(entity_rows(docs, spans_key))
    with replacing(path) as temporary:
        write_rows(temporary, [COLUMNS, *rows])
    return len(rows)


def write_parquet(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write entities as Parquet, see `entity_rows`."""
    table = to_dataframe(docs, spans_key=spans_key)
    with replacing(path) as temporary:
        table.to_parquet(temporary)
    return len(table)
