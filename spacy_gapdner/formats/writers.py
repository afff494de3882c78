"""Writing Docs in any format that can be written, each file or folder whole or not at all."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities
from .docs import DOC_EXTRA, DOC_NAME, doc_place
from .jsonl import further_keys, to_line, to_record
from .registry import choose_output
from .relations import DOC_RELATIONS, BratLine, drop_line
from .report import Report, logging_drops

__all__ = ["Predictions", "to_record", "write", "write_lines", "write_predictions"]

# formats whose losses are not counted: one holds whole Docs, a page only shows their entities
UNCOUNTED = ("spacy", "html")
# what formats of tokens and tables have no place for: names of entities, and what is said of them
_TOKENS = ("a format of tokens", ("id", "score"), ("kb_id", "kb_name", "_"))
_TABLE = ("a table", ("id",), ("kb_name", "_"))
_PLACES = {"w2ner": _TOKENS, "inline": _TOKENS, "csv": _TABLE, "parquet": _TABLE}
# what the others hold of an entity's attrs, or count themselves
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
    RETURNS (int): The number of documents written; of sentences for w2ner and inline, of entities
        for csv and parquet.
    RAISES (GapDNERError): If the format or the path cannot be written, or hold a label.
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

    def docs() -> Iterator[Doc]:
        for doc, record in predictions:
            extra = further_keys(record)
            # an id alone is the document's name
            if format == "jsonl" or extra.keys() - {"id"}:
                doc.user_data[DOC_EXTRA] = extra
            yield doc

    return write(docs(), path, format, spans_key=spans_key, report=report)


def write_lines(predictions: Predictions, stream: IO[bytes], spans_key: str) -> None:
    """Write predictions as JSONL, so that whoever reads the stream, now or after this process was
    killed, finds whole lines.
    """
    for doc, extra in predictions:
        stream.write(to_line(doc, spans_key, extra).encode("utf-8"))
        stream.flush()


def _counting_losses(
    docs: Iterable[Doc], format: str, spans_key: str, report: Report
) -> Iterator[Doc]:
    where, names, attributes = _PLACES.get(format, ("", (), ()))
    for doc in docs:
        place, entities = doc_place(doc), get_entities(doc, spans_key)
        # an id that is the document's name is not lost
        name, record = doc.user_data.get(DOC_NAME), doc.user_data.get(DOC_EXTRA, {})
        lost = [key for key, value in record.items() if key != "id" or str(value) != name]
        if lost and format != "jsonl":
            message = f"no place for {', '.join(map(repr, lost))} of the document's record"
            report.add("dropped", "document metadata", message, place)
        if format != "brat":
            for text in doc.user_data.get(DOC_RELATIONS, ()):
                drop_line(BratLine(text, place), report)
        for key in names:
            given = [e.attrs[key] for e in entities if e.attrs.get(key) not in (None, "")]
            if given:
                message = f"{len(given)} entities have one, the first {given[0]!r:.60}"
                report.add("dropped", f"{key}s in {where}", message, place)
        for entity in entities:
            others = [key for key in entity.attrs if key not in _ATTRS]
            for kind, keys in (
                ("attrs that no file has", others),
                (f"attributes in {where}", attributes),
            ):
                carried = {key: entity.attrs[key] for key in keys if entity.attrs.get(key)}
                if carried:
                    message = f"{entity.label_} at tokens {entity.fragments} has {carried!r:.60}"
                    report.add("dropped", kind, message, place, entity.fragments)
        yield doc
