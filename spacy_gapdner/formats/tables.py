"""Entities as tables: a row for each, for spreadsheets and data frames."""

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities
from ..errors import GapDNERError
from .docs import DOC_NAME
from .from_docs import report_attributes, report_names
from .outputs import replacing
from .report import Place, Report

if TYPE_CHECKING:
    import pandas

# The names of the columns, and the types that they have in a file of typed columns
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
_ROWS_AT_ONCE = 10_000

Row = tuple[Any, ...]


class UnixLines:
    """Ends the rows of a `csv.writer` with a line feed alone. A writer that is itself told to do
    so does not, in older versions of Python, quote carriage returns in cells: rows fall apart.

    stream (IO[str]): Takes the rows.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        """Write a row, see `IO.write`."""
        self._stream.write(row.removesuffix("\r\n") + "\n")


def entity_rows(
    docs: Iterable[Doc], spans_key: str = DEFAULT_SPANS_KEY, report: Report | None = None
) -> Iterator[Row]:
    """Make a row of each entity.

    docs (Iterable[Doc]): The documents.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes the attributes, the ids in files and the names in a knowledge
        base, which have no column.
    YIELDS (tuple[Any, ...]): What `COLUMNS` name: the document's name, or its number from 1 on;
        type and text; the first character and the one after the last; the fragments' character
        offsets as "0 6;20 24"; whether there is a gap; score; id in a knowledge base; the
        sentence's text.
    """
    for number, doc in enumerate(docs, start=1):
        name = str(doc.user_data.get(DOC_NAME, number))
        entities = get_entities(doc, spans_key)
        if report is not None:
            place, kind = Place(None, None, name), "attributes in a table"
            report_names(entities, ["id"], "a table", report, place)
            for entity in entities:
                report_attributes(entity, ("kb_name", "_"), kind, report, place)
        for entity in entities:
            yield (
                name,
                entity.label_,
                entity.text,
                entity.start_char,
                entity.end_char,
                ";".join(f"{span.start_char} {span.end_char}" for span in entity.spans),
                entity.is_discontinuous,
                entity.score,
                entity.kb_id_,
                _sentence(doc, entity),
            )


def to_dataframe(docs: Iterable[Doc], *, spans_key: str = DEFAULT_SPANS_KEY) -> "pandas.DataFrame":
    """Make a data frame of entities, a row for each; see `entity_rows`.

    docs (Iterable[Doc]): The documents.
    spans_key (str): Prefix of the span groups.
    RETURNS (pandas.DataFrame): The data frame.
    RAISES (ImportError): If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("Data frames need pandas: pip install pandas.") from None
    frame = pd.DataFrame(list(entity_rows(docs, spans_key)), columns=list(COLUMNS))
    return frame.astype(COLUMNS)


def write_csv(
    docs: Iterable[Doc],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write entities as CSV, a row for each, as they come.

    Texts are exact, also those such as "=1+1" that a spreadsheet program would take for a formula:
    import the columns as text there.

    docs (Iterable[Doc]): The documents.
    path (Path): The file, written whole or not at all.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes what has no column, see `entity_rows`.
    RETURNS (int): The number of rows.
    RAISES (GapDNERError): If the path is a folder.
    """
    n_rows = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(UnixLines(stream))
        writer.writerow(COLUMNS)
        for row in entity_rows(docs, spans_key, report):
            writer.writerow("" if cell is None else cell for cell in row)
            n_rows += 1
    return n_rows


def write_parquet(
    docs: Iterable[Doc],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write entities as Parquet, a row for each, as they come.

    docs (Iterable[Doc]): The documents.
    path (Path): The file, written whole or not at all.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes what has no column, see `entity_rows`.
    RETURNS (int): The number of rows.
    RAISES (GapDNERError): If the path is a folder, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise GapDNERError(
            "Parquet needs pyarrow: pip install pyarrow. CSV needs nothing."
        ) from None
    schema = pa.schema(
        [(name, kind.replace("float64", "double")) for name, kind in COLUMNS.items()]
    )
    n_rows = 0
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema) as writer:
        for rows in _chunks(entity_rows(docs, spans_key, report)):
            columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
            writer.write_table(pa.table(columns, schema=schema))
            n_rows += len(rows)
    return n_rows


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while chunk := list(islice(rows, _ROWS_AT_ONCE)):
        yield chunk


def _sentence(doc: Doc, entity: DiscontinuousEntity) -> str:
    if not doc.has_annotation("SENT_START"):
        return doc.text
    # an entity may cross a border
    return doc[doc[entity.start].sent.start : doc[entity.end - 1].sent.end].text
