"""stats: what corpora hold, in numbers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import GapDNERError
from . import _options as options
from ._printing import msg, print_report, print_statistics
from ._util import clean_errors, read_docs, split_list

if TYPE_CHECKING:
    from ..analysis.statistics import CorpusStatistics
    from ..formats import Report


def stats_cli(
    data: list[Path] = typer.Argument(
        ..., metavar="DATA", help=".spacy files, or anything that convert reads"
    ),
    format: str | None = options.format("Format of what is not .spacy; guessed if not given"),
    lang: str = options.lang("Language of the tokenizer for what is not .spacy"),
    types: str | None = typer.Option(None, "--types", help="See convert"),
    split: str | None = typer.Option(None, "--split", help="See convert"),
    ids: Path | None = typer.Option(None, "--ids", help="See convert"),
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output("JSON file for the numbers"),
    code: Path | None = options.CODE,
) -> None:
    """Count documents, entities, fragments, gaps and overlaps.

    There is one column per DATA."""
    with clean_errors():
        from ..formats.outputs import check_output, write_json

        for path in data:
            check_output(output_path, {"data": path, "list": ids})
        given = {"types": split_list(types), "split": split, "ids": ids}
        counted = {str(path): count_corpus(path, format, lang, spans_key, given) for path in data}
        if output_path is not None:
            values = {name: found.to_dict() for name, (found, _) in counted.items()}
            for name, (_, report) in counted.items():
                if report is not None:
                    values[name]["report"] = report.to_dict()
            write_json(values, output_path)
    print_statistics({name: found for name, (found, _) in counted.items()})
    for _, report in counted.values():
        if report is not None:
            print_report(report)


def count_corpus(
    path: Path, format: str | None, lang: str, spans_key: str, given: dict[str, Any]
) -> tuple["CorpusStatistics", "Report | None"]:
    """Count what a corpus holds: .spacy data, or anything that convert reads.

    path (Path): The corpus.
    format (Optional[str]): Format of what is not .spacy; guessed if None.
    lang (str): Language of the tokenizer for what is not .spacy.
    spans_key (str): Prefix of the span groups that hold the entities.
    given (dict[str, Any]): Options of the format's reader.
    RETURNS (tuple[CorpusStatistics, Optional[Report]]): The counts, and the reader's report.
    RAISES (GapDNERError): If the corpus cannot be read, or an option is not for it.
    """
    from ..analysis.statistics import stats
    from ..entities import describe_no_entities
    from ..formats import Report, blank_pipeline, read_records, to_docs
    from ..formats.docbin import find_docbins

    nlp = blank_pipeline(lang)
    report = None
    if format is None and find_docbins(path):
        unused = [name for name, value in given.items() if value]
        if unused:
            raise GapDNERError(
                f"{path} is .spacy: --{' and --'.join(unused)} are for unconverted corpora."
            )
        docs = read_docs(path, nlp.vocab, spans_key)
    else:
        report = Report()
        records = read_records(path, report, format, **given)
        docs = to_docs(records, nlp, report, spans_key=spans_key)
    statistics = stats(docs, spans_key=spans_key)
    if not statistics.entities:
        msg.warn(describe_no_entities(str(path), spans_key, statistics.elsewhere))
    return statistics, report
