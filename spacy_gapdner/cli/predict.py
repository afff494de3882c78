"""predict: the entities of raw text."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import GapDNERError
from . import _options as options
from ._printing import msg, print_report
from ._progress import progress
from ._util import StoppedError, clean_stops, counted, exit_if_skipped

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..analysis.resumable import Growing
    from ..formats.report import Report

    Predictions = Iterator[tuple[Doc, dict[str, Any]]]


def predict_cli(
    model: str = options.MODEL,
    input_path: Path = typer.Argument(
        ...,
        metavar="INPUT",
        help='.txt (a document), folder of .txt, .jsonl with a "text" per line, or - for the '
        "lines of standard input",
        allow_dash=True,
    ),
    output_path: Path | None = options.output(
        help="File or folder to write; if not given, entities are drawn on a terminal, and "
        "JSONL is printed otherwise"
    ),
    format: str | None = options.format(
        help="jsonl, csv, parquet, html, brat or pubannotation (folders), bioc, w2ner, inline or "
        "spacy; guessed from --output if not given"
    ),
    lines: bool = typer.Option(False, "--lines", help="Every line of a .txt file is a document"),
    uncertain: int | None = typer.Option(
        None,
        min=1,
        help="Write only so many texts, those worth annotating next, least certain first",
    ),
    budget: int | None = typer.Option(
        None, min=1, help="The same with so many words, in place of --uncertain"
    ),
    sentences: bool = typer.Option(
        False, "--sentences", help="--uncertain and --budget choose sentences, and tell their place"
    ),
    random_share: float = typer.Option(
        0.0, "--random", min=0, max=1, help="Share of what is chosen that is drawn at random"
    ),
    seed: int = typer.Option(0, help="Seed of what is drawn"),
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
        help="Go on with the JSONL of a run that was stopped, with the same model and settings: "
        "documents are known by their id",
    ),
    report_path: Path | None = typer.Option(
        None,
        "--report",
        help="JSON file for what this run wrote, in numbers, and everything that was left out",
    ),
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
) -> None:
    """Find the entities of raw text.

    Memory does not grow with the input, except with a single .spacy file as output: give a folder
    and --format spacy to get numbered files instead. If the command is stopped, what was written
    as JSONL is in OUTPUT.part. The exit code is 3 if documents were left out."""
    from ..formats.report import Report

    report, n_done = Report(skip=on_error == "skip"), 0
    grows = False
    try:
        with clean_stops():
            from ..analysis.pipes import load_recognizer
            from ..analysis.predictions import predict_records
            from ..analysis.resumable import growing, part_of
            from ..analysis.texts import count_texts, read_texts
            from ..analysis.uncertainty import UncertaintySampler
            from ..formats.outputs import check_output, write_json

            chooses = uncertain is not None or budget is not None
            grows = _grows(output_path, format, chooses, resume)
            if not chooses and (sentences or random_share):
                raise GapDNERError("--sentences and --random need --uncertain or --budget.")
            if gpu_id >= 0 and n_process != 1:
                raise GapDNERError("Several processes cannot share a GPU: leave out --n-process.")
            inputs: dict[str, str | Path | None] = {"input": input_path, "model": model}
            check_output(output_path, inputs, is_file=False)
            check_output(report_path, {**inputs, "output": output_path})
            texts = read_texts(input_path, lines=lines, report=report)
            settings: dict[str, Any] = {"spans_key": spans_key, "threshold": threshold}
            settings["line_breaks"] = line_breaks
            nlp, pipe = load_recognizer(model, gpu_id=gpu_id, bf16=bf16, **settings)
            how: dict[str, Any] = {"batch_size": batch_size, "n_process": n_process}
            with ExitStack() as stack:
                grown = None
                if output_path is not None and grows:
                    grown = stack.enter_context(growing(output_path, resume=resume))
                    n_done = grown.done.total()
                is_done = grown.is_done if grown and resume else None
                count = partial(count_texts, input_path, lines=lines)
                pairs = predict_records(nlp, texts, report=report, is_done=is_done, **how)
                stack.enter_context(closing(pairs))
                found: Predictions = iter(stack.enter_context(progress(count, pairs, n_done)))
                if chooses:
                    sampler = UncertaintySampler(
                        pipe,
                        uncertain,
                        budget=budget,
                        sentences=sentences,
                        random_share=random_share,
                        seed=seed,
                    )
                    stack.enter_context(sampler.showing_candidates())
                    found = sampler.sample(found)
                found = _count_into(report, found, pipe.key, None if n_done else input_path)
                _write(found, output_path, format, grown, pipe.key, report)
            if report_path is not None:
                write_json({"input": str(input_path), **report.to_dict()}, report_path)
    except StoppedError as stop:
        where = ""
        if grows and output_path is not None and part_of(output_path).exists():
            where = f" What is done is in {part_of(output_path)}; go on with --resume."
        typer.echo(f"Stopped.{where}", err=True)
        raise typer.Exit(stop.exit_code) from None
    if output_path is not None:
        print_report(report)
        msg.good(counted(n_done + report.documents, "document"))
        print(output_path)
    exit_if_skipped(report)


def _grows(output_path: Path | None, format: str | None, chooses: bool, resume: bool) -> bool:
    # whether the output is written line by line; what is chosen of all texts is known last
    from ..formats.registry import choose_output, get_format

    if output_path is not None:
        is_jsonl = choose_output(output_path, format).name == "jsonl"
    elif format is not None and get_format(format, "write").name != "jsonl":
        raise GapDNERError(f"The format {format} needs a place to write to: --output PATH.")
    else:
        is_jsonl = False
    if resume and chooses:
        raise GapDNERError("--uncertain compares all texts: leave out --resume.")
    if resume and not is_jsonl:
        raise GapDNERError("--resume needs JSONL as output: --output FILE.jsonl.")
    return is_jsonl and not chooses


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
        raise GapDNERError(f"{input_path} holds no document. Check the path.")


def _write(
    found: "Predictions",
    output_path: Path | None,
    format: str | None,
    grown: "Growing | None",
    key: str,
    report: "Report",
) -> None:
    from ..formats.writers import write_lines, write_predictions

    if output_path is not None and grown is None:
        write_predictions(found, output_path, format, key, report)
        return
    try:
        if output_path is None and format is None and sys.stdout.isatty():
            from ..drawing.render import text_rows

            for drawing in text_rows(((doc,) for doc, _ in found), key):
                print(drawing, end="", flush=True)
            return
        write_lines(found, grown.stream if grown else sys.stdout.buffer, key)
    except BrokenPipeError:
        # head and the like; Python would complain when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
