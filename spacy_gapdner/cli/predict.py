"""predict: find entities in raw text."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from ..errors import GapDNERError
from . import _options as options
from ._printing import msg, print_report
from ._progress import progress
from ._util import StoppedError, clean_stops, counted, exit_if_skipped

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..formats.report import Report

    Predictions = Iterator[tuple[Doc, dict[str, Any]]]


def predict_cli(
    model: str = options.MODEL,
    input_path: Path = typer.Argument(
        ...,
        metavar="INPUT",
        help='.txt file (one document), folder of .txt files, .jsonl file with a "text" per line, '
        "or - for lines from standard input",
        allow_dash=True,
    ),
    output_path: Path | None = options.output(
        help="File or folder to write (default: draw entities in the terminal, or print JSONL if "
        "the output is not a terminal)"
    ),
    format: str | None = options.format(
        help="Output format: jsonl, csv, parquet, html, brat or pubannotation (folders), bioc, "
        "w2ner, inline or spacy (default: detected from --output)"
    ),
    lines: bool = typer.Option(False, "--lines", help="Read each line of a .txt as a document"),
    uncertain: int | None = typer.Option(
        None,
        min=1,
        help="Only write this number of texts, which the pipeline is least certain about, to "
        "annotate them next",
    ),
    sentences: bool = typer.Option(
        False, "--sentences", help="With --uncertain: select sentences and write their offsets"
    ),
    line_breaks: options.LineBreaks | None = options.LINE_BREAKS,
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    n_process: int = typer.Option(1, min=-1, help="Number of CPU processes; -1 for one per core"),
    code: Path | None = options.CODE,
    on_error: options.OnError = options.ON_ERROR,
    resume: bool = typer.Option(
        False,
        "--resume",
        help="Complete the JSONL of a run that was stopped, with the same model and settings",
    ),
    report_path: Path | None = typer.Option(
        None,
        "--report",
        help="JSON file for the number of documents and entities and the skipped documents",
    ),
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
) -> None:
    """Find entities in raw text.

    Memory use does not depend on the size of the input, unless the output is a single .spacy file.
    Use a folder and --format spacy to write numbered files instead. If the command is stopped,
    OUTPUT.part contains the JSONL so far. The exit code is 3 if documents were skipped."""
    from ..formats.report import Report

    report, n_done = Report(skip=on_error == "skip"), 0
    grows = False
    try:
        with clean_stops(), ExitStack() as stack:
            from ..analysis.pipes import load_recognizer
            from ..analysis.predictions import predict_records, write_predictions
            from ..analysis.resumable import growing, part_of
            from ..analysis.texts import count_texts, read_texts
            from ..analysis.uncertainty import UncertaintySampler
            from ..formats.outputs import check_output, write_json

            grows = _is_jsonl(output_path, format) and uncertain is None
            if sentences and uncertain is None:
                raise GapDNERError("--sentences needs --uncertain.")
            if resume and not grows:
                raise GapDNERError("--resume needs JSONL as output, and not --uncertain.")
            if gpu_id >= 0 and n_process != 1:
                raise GapDNERError("Several processes cannot share a GPU: leave out --n-process.")
            inputs: dict[str, str | Path | None] = {"input": input_path, "model": model}
            check_output(output_path, inputs, is_file=False)
            check_output(report_path, {**inputs, "output": output_path})
            texts = read_texts(input_path, lines=lines, report=report)
            settings: dict[str, Any] = {"spans_key": spans_key, "threshold": threshold}
            settings |= {"line_breaks": line_breaks, "gpu_id": gpu_id, "bf16": bf16}
            nlp, pipe = load_recognizer(model, **settings)
            how: dict[str, Any] = {"batch_size": batch_size, "n_process": n_process}
            grown = None
            if output_path is not None and grows:
                grown = stack.enter_context(growing(output_path, resume=resume))
                n_done = grown.n_done
                how["is_done"] = grown.is_done if resume else None
            pairs = stack.enter_context(closing(predict_records(nlp, texts, report=report, **how)))
            found: Predictions = pairs
            draws = output_path is None and format is None and _is_terminal()
            if not draws:
                count = partial(count_texts, input_path, lines=lines)
                found = iter(stack.enter_context(progress(count, pairs, n_done)))
            if uncertain is not None:
                sampler = UncertaintySampler(pipe, uncertain, sentences=sentences)
                stack.enter_context(sampler.showing_candidates())
                found = sampler.sample(found)
            found = _count_into(report, found, pipe.key, None if n_done else input_path)
            if draws:
                _draw(found, pipe.key)
            elif output_path is not None and grown is None:
                write_predictions(found, output_path, format, pipe.key, report)
            else:
                _write_lines(found, grown.stream if grown else sys.stdout.buffer, pipe.key)
        if report_path is not None:
            write_json({"input": str(input_path), **report.to_dict()}, report_path)
    except StoppedError as stop:
        where = ""
        if grows and output_path is not None and part_of(output_path).exists():
            where = f" {part_of(output_path)} contains the results. Use --resume to continue."
        typer.echo(f"Stopped.{where}", err=True)
        raise typer.Exit(stop.exit_code) from None
    if output_path is not None:
        print_report(report)
        msg.good(counted(n_done + report.documents, "document"))
        print(output_path)
    exit_if_skipped(report)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _is_jsonl(output_path: Path | None, format: str | None) -> bool:
    from ..formats.registry import choose_output, get_format

    if output_path is not None:
        return choose_output(output_path, format).name == "jsonl"
    if format is not None and get_format(format, "write").name != "jsonl":
        raise GapDNERError(f"The format {format} cannot be printed. Use --output PATH.")
    return True


def _count_into(
    report: "Report", pairs: "Predictions", key: str, input_path: Path | None
) -> "Predictions":
    from ..analysis.texts import STDIN
    from ..entities import get_entities

    for doc, extra in pairs:
        report.documents += 1
        report.entities += len(get_entities(doc, key))
        yield doc, extra
    if not report.documents and not report.issues and input_path not in (None, STDIN):
        raise GapDNERError(f"{input_path} contains no documents. Check the path.")


def _draw(found: "Predictions", key: str) -> None:
    from ..drawing.render import text_rows

    for drawing in text_rows(((doc,) for doc, _ in found), key):
        print(drawing, end="", flush=True)


def _write_lines(found: "Predictions", stream: IO[bytes], key: str) -> None:
    from ..analysis.predictions import write_lines

    try:
        write_lines(found, stream, key)
    except BrokenPipeError:
        # avoid another error when Python closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
