"""convert: convert annotated text between formats."""

from inspect import signature
from pathlib import Path
from typing import Any, Literal

import typer
from spacy.tokens import Doc

from .. import analysis, formats
from ..docs import describe_language
from ..errors import GapDNERError
from . import _options as options
from ._util import (
    counted,
    exit_if_skipped,
    msg,
    parse_output,
    print_report,
    print_statistics,
    progress,
    split_list,
    warn_no_entities,
)


def convert_cli(
    input_path: Path = typer.Argument(metavar="INPUT", help="File or folder to convert"),
    output_path: Path = typer.Argument(
        metavar="OUTPUT", parser=parse_output, help="File or folder to write"
    ),
    force: bool = options.FORCE,
    format: str | None = options.format(
        help="Input format: brat, jsonl, w2ner, inline, spacy, prodigy, doccano, labelstudio, cas, "
        "pubtator, bioc, pubannotation, or a custom format with --code (default: detected)"
    ),
    to: str | None = typer.Option(
        None,
        "--to",
        "-t",
        help="Output format: spacy, jsonl, brat, w2ner, bioc, pubannotation (folder), inline, "
        "csv or parquet (default: by file extension)",
    ),
    lang: str | None = options.DATA_LANG,
    model: str | None = options.SPLITTER,
    n_sents: int | None = typer.Option(
        None, "--n-sents", "-n", help="Sentences per Doc; 0 for all (default: 1 for .spacy, else 0)"
    ),
    alignment: Literal["expand", "contract", "strict", "split"] | None = typer.Option(
        None,
        "--alignment",
        "-a",
        help="If a boundary is inside a token: expand or contract the fragment, split the token, "
        "or drop the entity (strict) (default: expand for .spacy, w2ner and inline, else split)",
    ),
    line_breaks: options.LineBreaks = options.LINE_BREAKS_AUTO,
    types: str | None = options.TYPES,
    from_ents: bool = typer.Option(False, "--from-ents", help="For .spacy: read doc.ents"),
    from_spans: str | None = typer.Option(None, help="For .spacy: read this span group, e.g. sc"),
    reader_options: list[str] = typer.Option(
        [], "--option", metavar="NAME=VALUE", help="Option of the input format; can be repeated"
    ),
    done: bool = typer.Option(
        False, "--done", help="For brat: read only texts that are marked as done in annotate"
    ),
    spans_key: str = options.SPANS_KEY,
    strict: bool = typer.Option(
        False, "--strict", help="Stop if anything would be dropped or contradicts its offsets"
    ),
    report_path: Path | None = typer.Option(None, "--report", help="JSON file for the report"),
    on_error: options.OnError = options.ON_ERROR,
    code: Path | None = options.CODE,
) -> None:
    """Convert annotated text between formats.

    All dropped or repaired entities are reported with file and line. The exit code is 3 if
    documents were skipped because they could not be read."""
    from ..formats.docs import BLANK, SEVERAL
    from ..formats.outputs import check_output, write_json

    hint = " If it is the input, swap the arguments: INPUT comes before OUTPUT."
    check_output(output_path, {"input": input_path}, force=force, is_file=None, hint=hint)
    check_output(report_path, {"input": input_path, "output": output_path}, force=force)
    # options that this command sets itself
    own = {*signature(formats.convert).parameters, *signature(formats.read).parameters}
    own |= {"from_ents", "from_spans", "done"}
    given: dict[str, Any] = {"from_ents": True} if from_ents else {}
    if from_spans is not None:
        given["from_spans"] = from_spans
    for option in reader_options:
        name, equals, value = option.partition("=")
        if not equals:
            raise GapDNERError(f"Invalid --option: {option!r}. Use NAME=VALUE.")
        if name in own:
            raise GapDNERError(f"Invalid --option: {name}. Use the options of convert (--help).")
        given[name] = value
    if done:
        from ..apps.annotate.journal import Journal
        from ..formats.brat import shared_hint

        given["done"] = set(Journal(input_path).done())
        if input_path.exists() and not given["done"]:
            hint = shared_hint(input_path) or "Remove --done."
            raise GapDNERError(f"{input_path} has no texts marked as done in annotate. {hint}")
    statistics = analysis.CorpusStatistics()
    with progress() as bar:

        def count(doc: Doc) -> None:
            statistics.add(doc, key=spans_key)
            bar.update()

        report = formats.convert(
            input_path,
            output_path,
            format=format,
            to=to,
            n_sents=n_sents,
            spans_key=spans_key,
            strict=strict,
            skip=on_error == "skip",
            on_doc=count,
            types=split_list(types),
            lang=lang,
            model=model,
            alignment=alignment,
            line_breaks=line_breaks,
            **given,
        )
    paths = {"input": str(input_path), "output": str(output_path)}
    write_json({**paths, "statistics": statistics.to_dict(), **report.to_dict()}, report_path)
    print_statistics({"": statistics})
    print_report(report)
    if report.lang is not None and model is None:
        print(f"Tokenized with the rules of {describe_language(report.lang)}")
    if not statistics.entities:
        warn_no_entities(str(input_path), spans_key, statistics.elsewhere)
    # entities that the output format cannot represent
    lost = sum(report.counts()[kind] for kind in (BLANK, SEVERAL))
    kept = f"{statistics.entities - lost} of {report.entities} entities"
    msg.good(f"{counted(statistics.docs, 'Doc')}, {kept}")
    print(output_path)
    exit_if_skipped(report)
