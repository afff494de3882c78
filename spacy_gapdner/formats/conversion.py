"""Annotated text of any format -> any format that can be written."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities, get_spans_keys, stores_entities
from ..errors import GapDNERError
from .docs import doc_place
from .outputs import check_apart
from .reading import read
from .registry import choose_output, guess_format
from .report import Report
from .writers import write


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

    input (Union[str, Path]): File or folder.
    output (Union[str, Path]): The file or folder to write; it is written whole or not at all.
    format (Optional[str]): The input's format, see `FORMATS`; guessed if None.
    to (Optional[str]): The output's format; guessed from its ending if None.
    n_sents (Optional[int]): Sentences per Doc, each with the document's name; 0 for whole
        documents. None means 1 for .spacy and 0 for other formats.
    spans_key (str): Prefix of the span groups that hold the entities.
    strict (bool): Stop at the first item that would be dropped.
    skip (bool): Leave out documents that cannot be read, instead of stopping.
    on_doc (Optional[Callable[[Doc], object]]): Called with each Doc once it is written.
    **options: Others of `spacy_gapdner.formats.read`: `lang` or `model`, `types`, `alignment`,
        `line_breaks`, and what the format's reader takes beyond.
    RETURNS (Report): What was dropped or repaired on the way.
    RAISES (GapDNERError): If the input cannot be read or holds no document, the output cannot
        hold it, or the output would touch the input.
    """
    input, output = Path(input), Path(output)
    check_apart(output, input)
    source, target = format or guess_format(input), choose_output(output, to).name
    if source == "spacy" and (n_sents is not None or options.get("model") is not None):
        raise GapDNERError(
            f"{input} holds Docs already: leave out the number of sentences and the model."
        )
    if n_sents is None:
        n_sents = int(target == "spacy")
    if strict and skip:
        raise GapDNERError("Choose one: to stop at what would be dropped, or to skip documents.")
    report = Report(strict=strict, skip=skip)
    docs = read(input, source, n_sents=n_sents, report=report, spans_key=spans_key, **options)

    def counted() -> Iterator[Doc]:
        n_docs = 0
        for doc in docs:
            n_docs += 1
            # what lies beside the input is read, too
            while report.files:
                check_apart(output, report.files.pop())
            if target != "spacy":
                _count_other_prefixes(doc, spans_key, report)
            yield doc
            if on_doc is not None:
                on_doc(doc)
        if not n_docs and not report.skipped:
            raise GapDNERError(f"{input} holds no document with text. Check the path.")

    is_new = target == "spacy" and source != "spacy"
    given: dict[str, Any] = {"attrs": ("NORM", "SENT_START")} if is_new else {}
    write(counted(), output, target, spans_key=spans_key, report=report, **given)
    return report


def _count_other_prefixes(doc: Doc, spans_key: str, report: Report) -> None:
    for key in get_spans_keys(doc):
        if key != spans_key and stores_entities(doc, key):
            message = f"{len(get_entities(doc, key))} under {key!r:.80}"
            report.add("kept", "entities under another prefix", message, doc_place(doc))
