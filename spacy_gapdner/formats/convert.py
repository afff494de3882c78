"""Annotated text of any format -> any format that can be written."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from ..sentences import LineBreaks
from .docs import Alignment
from .from_docs import report_other_prefixes
from .outputs import check_apart
from .reading import read
from .registry import choose_output, guess_format
from .report import Report
from .statistics import CorpusStatistics
from .writers import write


def convert(
    input: str | Path,
    output: str | Path,
    *,
    format: str | None = None,
    to: str | None = None,
    lang: str = "en",
    model: str | Path | None = None,
    n_sents: int | None = None,
    alignment: Alignment = "expand",
    line_breaks: LineBreaks = "auto",
    types: tuple[str, ...] = (),
    spans_key: str = DEFAULT_SPANS_KEY,
    strict: bool = False,
    skip: bool = False,
    on_doc: Callable[[int], object] | None = None,
    from_ents: bool = False,
    from_spans: str | None = None,
    **options: Any,
) -> tuple[CorpusStatistics, Report]:
    """Convert annotated text from one format to another.

    input (Union[str, Path]): File or folder.
    output (Union[str, Path]): The file or folder to write; it is written whole or not at all.
    format (Optional[str]): The input's format, see `FORMATS`; guessed if None.
    to (Optional[str]): The output's format; guessed from its ending if None.
    lang (str): Language of the tokenizer.
    model (Optional[Union[str, Path]]): Pipeline, a folder or a package, whose tokenizer and
        sentences are taken, in place of `lang`.
    n_sents (Optional[int]): Sentences per Doc, each with the document's name; 0 for whole
        documents. None means 1 for .spacy and 0 for other formats.
    alignment (str): "expand", "contract" or "strict", see `spacy_gapdner.formats.to_docs`.
    line_breaks (str): "auto", "keep" or "join", see `spacy_gapdner.formats.read`.
    types (tuple[str, ...]): Entity types to keep; all if empty.
    spans_key (str): Prefix of the span groups that hold the entities.
    strict (bool): Stop at the first item that would be dropped.
    skip (bool): Leave out documents that cannot be read, instead of stopping.
    on_doc (Optional[Callable[[int], object]]): Called with the number of documents read so far.
    from_ents (bool): Of .spacy: take the entities of ``doc.ents``.
    from_spans (Optional[str]): Of .spacy: take every span of this group as an entity.
    **options: What the format's reader takes beyond; CRAFT's `split`, `ontologies`, `labels`.
    RETURNS (tuple[CorpusStatistics, Report]): What was written, and what was dropped or
        repaired on the way.
    RAISES (GapDNERError): If the input cannot be read or holds no document, the output cannot
        hold it, or the output would touch the input.
    """
    input, output = Path(input), Path(output)
    check_apart(output, input)
    source, target = format or guess_format(input), choose_output(output, to).name
    if source == "spacy" and (n_sents is not None or model is not None):
        raise GapDNERError(
            f"{input} holds Docs already: leave out the number of sentences and the model."
        )
    if n_sents is None:
        n_sents = int(target == "spacy")
    if strict and skip:
        raise GapDNERError("Choose one: to stop at what would be dropped, or to skip documents.")
    report, statistics = Report(strict=strict, skip=skip), CorpusStatistics()
    how = {"lang": lang, "model": model, "types": types, "alignment": alignment, **options}
    how |= {"line_breaks": line_breaks, "from_ents": from_ents, "from_spans": from_spans}
    docs = read(input, source, n_sents=n_sents, report=report, spans_key=spans_key, **how)

    def counted() -> Iterator[Doc]:
        checked: set[Path] = set()
        for doc in docs:
            # what lies beside the input is read, too
            for file in report.files - checked:
                check_apart(output, file)
                checked.add(file)
            if target != "spacy":
                report_other_prefixes(doc, spans_key, report)
            statistics.add(doc, spans_key)
            yield doc
            if on_doc is not None:
                on_doc(report.documents)
        if not statistics.docs and not report.skipped:
            raise GapDNERError(f"{input} holds no document with text. Check the path.")

    is_new = target == "spacy" and source != "spacy"
    given: dict[str, Any] = {"attrs": ("NORM", "SENT_START")} if is_new else {}
    write(counted(), output, target, spans_key=spans_key, report=report, **given)
    return statistics, report
