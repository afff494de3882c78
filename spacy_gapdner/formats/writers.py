"""Writing Docs in any format that can be written, each file or folder whole or not at all."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities
from .docs import DOC_EXTRA, DOC_NAME
from .from_docs import report_attributes, report_metadata
from .jsonl import further_keys, savable_keys, to_line, to_record
from .registry import choose_output
from .relations import report_relations
from .report import Place, Report, logging_drops

__all__ = ["Predictions", "to_record", "write", "write_lines", "write_predictions"]

# formats whose losses are not counted: one holds whole Docs, a page only shows their entities
UNCOUNTED = ("spacy", "html")
# what others hold of an entity's attrs, or count themselves
_ATTRS = ("id", "kb_id", "kb_name", "_", "score")
# Docs, each with what else its input record holds
Predictions = Iterable[tuple[Doc, dict[str, Any]]]


def write(
    docs: Iterable[Doc],
    path: str | Path,
    format: str | None = None,
    *,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
    **options: Any,
) -> int:
    """Write Docs with their entities, whole or not at all, one Doc at a time.

    docs (Iterable[Doc]): The Docs.
    path (Union[str, Path]): The file or folder to write.
    format (Optional[str]): See `spacy_gapdner.formats.FORMATS`; guessed from the path's ending if
        None: .spacy, .jsonl, .json (w2ner), .inline, .html, .csv, .parquet, or none (a folder of
        brat).
    spans_key (str): Prefix of the span groups that hold the entities.
    report (Optional[Report]): Takes what the format cannot hold; it is logged if None.
    **options: What the format's writer takes beyond.
    RETURNS (int): The number of documents written; of sentences for w2ner and inline, of entities
        for csv and parquet.
    RAISES (GapDNERError): If the format is unknown or cannot be written, the path is of another
        kind, or a label cannot stand in the format.
    """
    path = Path(path)
    chosen = choose_output(path, format)
    assert chosen.write is not None
    with logging_drops(report, path) as report:
        if chosen.name not in UNCOUNTED:
            docs = _counting_losses(docs, chosen.name, spans_key, report)
        return chosen.write(docs, path, spans_key, report, **options)


def write_predictions(
    predictions: Predictions, path: Path, format: str | None, spans_key: str, report: Report
) -> int:
    """Write predictions with what else their records hold; see `write`."""
    format = choose_output(path, format).name
    docs = _with_records(predictions, format, report)
    return write(docs, path, format, spans_key=spans_key, report=report)


def write_lines(predictions: Predictions, stream: IO[bytes], spans_key: str) -> None:
    """Write predictions as JSONL, so that whoever reads the stream, now or after this process was
    killed, finds whole lines.

    predictions (Iterable[tuple[Doc, dict[str, Any]]]): Docs with what else their records hold.
    stream (IO[bytes]): Takes the lines.
    spans_key (str): Prefix of the span groups that hold the entities.
    """
    for doc, extra in predictions:
        stream.write(to_line(doc, spans_key, extra))
        stream.flush()


def _counting_losses(
    docs: Iterable[Doc], format: str, spans_key: str, report: Report
) -> Iterator[Doc]:
    for doc in docs:
        # JSONL holds what else is in a document's record
        if format != "jsonl":
            report_metadata(doc, report)
        place = Place(None, None, doc.user_data.get(DOC_NAME))
        if format != "brat":
            report_relations(doc, report, place)
        for entity in get_entities(doc, spans_key):
            keys = [key for key in entity.attrs if key not in _ATTRS]
            report_attributes(entity, keys, "attrs that no file has", report, place)
        yield doc


def _with_records(predictions: Predictions, format: str, report: Report) -> Iterator[Doc]:
    for doc, record in predictions:
        extra = further_keys(record)
        if format == "spacy":
            extra = savable_keys(extra, Place(None, None, doc.user_data.get(DOC_NAME)), report)
        # an id alone is the document's name
        if format == "jsonl" or extra.keys() - {"id"}:
            doc.user_data[DOC_EXTRA] = extra
        yield doc
