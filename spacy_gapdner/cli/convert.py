"""convert: annotated text in any format -> .spacy."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from wasabi import msg

from ..errors import GapDNERError
from ._util import clean_errors, print_report, split_list

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..analysis.statistics import CorpusStatistics
    from ..formats import Alignment, Report


def convert_cli(
    input_path: Path = typer.Argument(..., help="File or folder to convert"),
    output_path: Path = typer.Argument(..., help="The .spacy file to write"),
    format: str | None = typer.Option(
        None,
        "--format",
        "-f",
        help="brat, knowtator, w2ner, inline, cadec, share13 or share14; guessed if not given",
    ),
    lang: str = typer.Option("en", "--lang", "-l", help="Language of the tokeniser"),
    n_sents: int = typer.Option(
        1, "--n-sents", "-n", help="Sentences per Doc; 0 for whole documents"
    ),
    alignment: str = typer.Option(
        "expand",
        "--alignment",
        "-a",
        help="Boundaries within tokens: expand or contract fragments, or drop entities (strict)",
    ),
    ontologies: str | None = typer.Option(
        None, "--ontologies", help="CRAFT: ontologies to read, e.g. CL,GO_BP; all if not given"
    ),
    labels: str | None = typer.Option(
        None, "--labels", help="CRAFT: label by ontology (default) or class"
    ),
    types: str | None = typer.Option(
        None, "--types", help="Entity types to keep, e.g. ADR,Drug; all (CADEC: ADR) if not given"
    ),
    split: str | None = typer.Option(
        None, "--split", help="CRAFT, CADEC, ShARe: train, dev or test; all if not given"
    ),
    ids: Path | None = typer.Option(
        None, "--ids", help="CADEC, ShARe: list of the split's documents, or folder of the lists"
    ),
    spans_key: str = typer.Option(
        "gapdner", "--spans-key", "-sk", help="Prefix of the span groups that hold the entities"
    ),
    strict: bool = typer.Option(
        False, "--strict", help="Stop at the first entity that would be dropped"
    ),
    report_path: Path | None = typer.Option(
        None, "--report", help="JSON file for everything dropped or repaired"
    ),
) -> None:
    """Convert annotated text to a .spacy file for training and evaluation, and report what was
    dropped or repaired on the way, with file and line."""
    with clean_errors():
        statistics, report = convert(
            input_path,
            output_path,
            format=format,
            lang=lang,
            n_sents=n_sents,
            alignment=alignment,  # type: ignore[arg-type]
            ontologies=split_list(ontologies),
            labels=labels,
            types=split_list(types),
            split=split,
            ids=ids,
            spans_key=spans_key,
            strict=strict,
        )
        if report_path is not None:
            from ..formats.files import write_json

            data = {"input": str(input_path), "output": str(output_path)}
            data |= {"statistics": statistics.to_dict(), **report.to_dict()}
            write_json(data, report_path)
    _print(statistics, report, output_path)


def convert(
    input_path: Path,
    output_path: Path,
    *,
    format: str | None = None,
    lang: str = "en",
    n_sents: int = 1,
    alignment: "Alignment" = "expand",
    ontologies: tuple[str, ...] = (),
    labels: str | None = None,
    types: tuple[str, ...] = (),
    split: str | None = None,
    ids: Path | None = None,
    spans_key: str = "gapdner",
    strict: bool = False,
) -> tuple["CorpusStatistics", "Report"]:
    """Convert annotated text to a .spacy file.

    input_path (Path): File or folder.
    output_path (Path): The file to write; it is written whole or not at all.
    format (Optional[str]): The input's format, see `spacy_gapdner.formats.FORMATS`; guessed if
        None.
    lang (str): Language of the tokeniser.
    n_sents (int): Sentences per Doc; 0 for whole documents, which keep their names in
        ``doc.user_data["gapdner_document"]``.
    alignment (str): "expand", "contract" or "strict", see `spacy_gapdner.formats.to_docs`.
    ontologies (tuple[str, ...]): See `spacy_gapdner.formats.read_knowtator`.
    labels (Optional[str]): See there.
    types (tuple[str, ...]): Entity types to keep; all if empty. For CADEC see
        `spacy_gapdner.formats.read_cadec`.
    split (Optional[str]): See there, or `spacy_gapdner.formats.read_knowtator`.
    ids (Optional[Path]): See `spacy_gapdner.formats.read_cadec`.
    spans_key (str): Prefix of the span groups that hold the entities.
    strict (bool): Stop at the first item that would be dropped.
    RETURNS (tuple[CorpusStatistics, Report]): What was written, and what was dropped or
        repaired on the way.
    RAISES (GapDNERError): If the input cannot be read, or holds no document.
    """
    from ..analysis.statistics import CorpusStatistics
    from ..formats import Report, blank_pipeline, read_records, to_docs
    from ..formats.docbin import write_docbin

    report = Report(strict=strict)
    statistics = CorpusStatistics()
    records = read_records(
        input_path,
        report,
        format,
        ontologies=ontologies,
        labels=labels,
        types=types,
        split=split,
        ids=ids,
    )
    nlp = blank_pipeline(lang)
    docs = to_docs(records, nlp, report, n_sents=n_sents, alignment=alignment, spans_key=spans_key)

    def counted() -> Iterator["Doc"]:
        for doc in docs:
            statistics.add(doc, spans_key)
            yield doc
        if not statistics.docs:
            raise GapDNERError(f"{input_path} holds no document with text. Check the path.")

    # a name per sentence would double the time to read and write the file
    write_docbin(counted(), output_path, store_user_data=n_sents == 0, attrs=("NORM", "SENT_START"))
    return statistics, report


def _print(statistics: "CorpusStatistics", report: "Report", output_path: Path) -> None:
    from .stats import print_statistics

    print_statistics({"": statistics})
    print_report(report)
    if not statistics.entities:
        msg.warn("No entities at all: is this the right format, and are the labels in the input?")
    msg.good(f"{statistics.docs} Docs, {statistics.entities} of {report.entities} entities")
    print(output_path)
