"""Writing Docs in any format, and converting between formats."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities, get_spans_keys, stores_entities
from ..errors import GapDNERError
from .docs import DOC_EXTRA, DOC_NAME, doc_place
from .jsonl import other_keys
from .outputs import check_apart
from .reading import read, require_docs
from .registry import choose_output, guess_format
from .relations import DOC_RELATIONS, BratLine, drop_line
from .report import Report, logging_drops

# the attrs of entities that files represent, except for those that a format loses
_ATTRS = {"id", "kb_id", "kb_name", "_", "score"}
_LOST = {"csv": {"id", "kb_name", "_"}, "w2ner": _ATTRS, "inline": _ATTRS}
_LOST["parquet"] = _LOST["csv"]


def write(
    docs: Iterable[Doc],
    path: str | Path,
    format: str | None = None,
    *,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
    **options: Any,
) -> int:
    """Write Docs with their entities, one Doc at a time. The output is written completely or not
    at all.

    docs (Iterable[Doc]): The Docs.
    path (Union[str, Path]): The file or folder to write.
    format (Optional[str]): See `spacy_gapdner.formats.FORMATS`; guessed from the file extension if
        None: .spacy, .jsonl, .json (w2ner), .inline, .html, .csv, .parquet, or none (a brat
        folder).
    spans_key (str): Prefix of the span groups that store the entities.
    report (Optional[Report]): Collects what the format cannot represent; it is logged if None.
    RETURNS (int): The number of documents written; of sentences for w2ner and inline, of entities
        for csv and parquet.
    RAISES (GapDNERError): If the format or path cannot be written, or the format does not allow a
        label.
    """
    path = Path(path)
    chosen = choose_output(path, format)
    assert chosen.writer is not None
    with logging_drops(report, path) as report:
        # .spacy keeps the Docs complete, and a page only displays them
        if chosen.name not in ("spacy", "html"):
            docs = _counting_losses(docs, chosen.name, spans_key, report)
        return chosen.writer(docs, path, spans_key, report, **options)


def convert(
    input: str | Path,
    output: str | Path,
    *,
    format: str | None = None,
    to: str | None = None,
    n_sents: int | None = None,
    spans_key: str = DEFAULT_SPANS_KEY,
    strict: bool = False,
    skip: bool = False,
    on_doc: Callable[[Doc], object] | None = None,
    **options: Any,
) -> Report:
    """Convert annotated text from one format to another.

    input (Union[str, Path]): The file or folder to read.
    output (Union[str, Path]): The file or folder to write, completely or not at all.
    format (Optional[str]): The input's format, see `spacy_gapdner.formats.FORMATS`; guessed if
        None.
    to (Optional[str]): The output's format; guessed from its file extension if None.
    n_sents (Optional[int]): Sentences per Doc, each with the document's name; 0 for complete
        documents. None means 1 for .spacy and 0 for other formats.
    spans_key (str): Prefix of the span groups that store the entities.
    strict (bool): Stop at the first item that would be dropped.
    skip (bool): Skip documents that cannot be read instead of stopping.
    on_doc (Optional[Callable[[Doc], object]]): Called with each Doc after it is written.
    **options: Other options of `spacy_gapdner.formats.read`: `lang` or `model`, `types`,
        `alignment`, `line_breaks`, and those of the format's reader.
    RETURNS (Report): What was dropped, repaired or kept unchanged.
    RAISES (GapDNERError): If the input cannot be read or contains no document, the output format
        cannot represent it, or the output would overwrite the input.
    """
    input, output = Path(input), Path(output)
    # the text of a brat file is also read
    for path in (input, input.with_suffix(".txt")):
        check_apart(output, path)
    source, target = format or guess_format(input), choose_output(output, to).name
    if source == "spacy" and (n_sents is not None or options.get("model") is not None):
        raise GapDNERError(
            f"{input} contains Docs, whose sentences are known. Leave out n_sents and model."
        )
    if strict and skip:
        raise GapDNERError("Use either strict or skip, not both.")
    if n_sents is None:
        n_sents = int(target == "spacy")
    report = Report(strict=strict, skip=skip)
    docs = read(input, source, n_sents=n_sents, report=report, spans_key=spans_key, **options)

    def checked() -> Iterator[Doc]:
        for doc in require_docs(docs, input, report):
            yield doc
            if on_doc is not None:
                on_doc(doc)

    is_new = target == "spacy" and source != "spacy"
    attrs: dict[str, Any] = {"attrs": ("NORM", "SENT_START")} if is_new else {}
    write(checked(), output, target, spans_key=spans_key, report=report, **attrs)
    return report


def _counting_losses(
    docs: Iterable[Doc], format: str, spans_key: str, report: Report
) -> Iterator[Doc]:
    kept = _ATTRS - _LOST.get(format, set())
    for doc in docs:
        place = doc_place(doc)
        # an id that is the document's name is not lost
        name, record = doc.user_data.get(DOC_NAME), doc.user_data.get(DOC_EXTRA, {})
        lost = [key for key, value in record.items() if key != "id" or str(value) != name]
        if format == "jsonl":
            # the keys of the text and the entities are taken
            lost = sorted({*lost} - other_keys(record).keys())
        if lost:
            message = f"no place for {', '.join(map(repr, lost))} of the document's record"
            report.add("dropped", "document metadata", message, place)
        if format != "brat":
            for text in doc.user_data.get(DOC_RELATIONS, ()):
                drop_line(BratLine(text, place), report)
        for key in get_spans_keys(doc):
            if key != spans_key and stores_entities(doc, key):
                message = f"{len(get_entities(doc, key))} under {key!r:.80}"
                report.add("kept", "entities under another prefix", message, place)
        attrs = (a for entity in get_entities(doc, spans_key) for a in entity.attrs.items())
        found = Counter(k for k, value in attrs if k not in kept and value not in (None, "", {}))
        for key, number in found.items():
            name = "attributes" if key == "_" else key
            message = f"no place for {name} of {number} entities"
            report.add("dropped", f"{name} of entities", message, place)
        yield doc
