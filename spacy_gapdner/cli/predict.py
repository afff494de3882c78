"""predict: the entities of raw text."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import GapDNERError
from . import _options as options
from ._options import OnError
from ._printing import msg, print_report
from ._progress import progress
from ._util import StoppedError, clean_errors, clean_stops, exit_if_skipped, load_pipeline

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..formats.report import Report
    from ..formats.resumable import Growing


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
        "File or folder to write; JSONL on the screen if not given"
    ),
    format: str | None = options.format(
        "jsonl, csv, parquet, html, brat or pubannotation (folders), bioc, w2ner, inline or spacy; "
        "guessed from --output if not given"
    ),
    lines: bool = typer.Option(False, "--lines", help="Every line of a .txt file is a document"),
    uncertain: int | None = typer.Option(
        None,
        "--uncertain",
        min=1,
        help="Write only so many texts, those worth annotating next: with the least certain "
        "decision, least certain first",
    ),
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    n_process: int = typer.Option(
        1, "--n-process", min=-1, help="Number of CPU processes; -1 for one per core"
    ),
    code: Path | None = options.CODE,
    on_error: OnError = options.ON_ERROR,
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
    no_progress: bool = options.NO_PROGRESS,
) -> None:
    """Find the entities of raw text.

    Memory does not grow with the input, except with a single .spacy file as output: give a folder
    and --format spacy to get numbered files instead. If the command is stopped, what was written
    as JSONL is in OUTPUT.part. The exit code is 3 if documents were left out."""
    from ..formats.report import Report
    from ..formats.writers import ReaderGoneError

    report = Report(skip=on_error == OnError.skip)
    is_jsonl, n_docs = False, 0
    try:
        with clean_stops(), clean_errors():
            from ..formats.outputs import check_output, write_json
            from ..formats.resumable import growing, part_of

            is_jsonl = _grows(output_path, format, uncertain, resume)
            inputs: dict[str, str | Path | None] = {"input": input_path, "model": model}
            check_output(output_path, inputs, is_file=False)
            check_output(report_path, {**inputs, "output": output_path})
            _check_processes(n_process, gpu_id)
            settings = {
                "spans_key": spans_key,
                "threshold": threshold,
                "gpu_id": gpu_id,
            }
            how = {"batch_size": batch_size, "n_process": n_process, "report": report}
            work = partial(
                _predict, model, settings, input_path, lines, uncertain, how, no_progress
            )
            if output_path is not None and is_jsonl:
                with growing(output_path, resume=resume) as grown:
                    n_docs = work(output_path, format, grown if resume else None, grown)
            else:
                n_docs = work(output_path, format)
            if report_path is not None:
                write_json({"input": str(input_path), **report.to_dict()}, report_path)
    except ReaderGoneError:
        # head and the like; Python would complain when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except StoppedError as stop:
        where = ""
        if output_path is not None and is_jsonl and part_of(output_path).exists():
            where = f" What is done is in {part_of(output_path)}; go on with --resume."
        typer.echo(f"Stopped.{where}", err=True)
        raise typer.Exit(stop.exit_code) from None
    if output_path is not None:
        print_report(report)
        chosen = "" if uncertain is None else f"{min(uncertain, n_docs)} of "
        msg.good(f"{chosen}{n_docs} documents")
        print(output_path)
    exit_if_skipped(report)


def _check_processes(n_process: int, gpu_id: int) -> None:
    if n_process == 0:
        raise GapDNERError("--n-process must be -1 or at least 1.")
    if gpu_id >= 0 and n_process != 1:
        raise GapDNERError("Several processes cannot share a GPU: leave out --n-process.")


def _grows(
    output_path: Path | None, format: str | None, uncertain: int | None, resume: bool
) -> bool:
    # whether the output is written line by line, so that a run that was stopped can go on
    from ..formats.registry import choose_output

    # what is chosen is known last, and written whole
    if uncertain is not None:
        if resume:
            raise GapDNERError("--uncertain compares all texts: leave out --resume.")
        return False
    is_jsonl = output_path is not None and choose_output(output_path, format).name == "jsonl"
    if resume and not is_jsonl:
        raise GapDNERError("--resume needs JSONL as output: --output FILE.jsonl.")
    return is_jsonl


def _predict(
    model: str,
    settings: dict[str, Any],
    input_path: Path,
    lines: bool,
    uncertain: int | None,
    how: dict[str, Any],
    no_progress: bool,
    output_path: Path | None,
    format: str | None,
    resumed: "Growing | None" = None,
    grown: "Growing | None" = None,
) -> int:
    from ..analysis.predictions import predict_records
    from ..analysis.uncertainty import UncertaintySampler
    from ..formats.texts import STDIN, count_texts, read_texts
    from ..formats.writers import choose_writer

    write = choose_writer(output_path, format, grown)
    report = how["report"]
    texts = read_texts(input_path, lines=lines, report=report)
    nlp, pipe = load_pipeline(model, **settings)
    done = sum(resumed.done.values()) if resumed else 0
    pairs = predict_records(nlp, resumed.missing(texts) if resumed else texts, **how)
    bar = progress(partial(count_texts, input_path, lines=lines), no_progress, initial=done)
    n_docs = done

    def counted() -> Iterator[tuple["Doc", dict[str, Any]]]:
        nonlocal n_docs
        for pair in pairs:
            n_docs += 1
            bar.update()
            yield pair
        if not n_docs and not report.issues and input_path != STDIN:
            raise GapDNERError(f"{input_path} holds no document. Check the path.")

    with bar, closing(pairs), ExitStack() as stack:
        chosen: Iterable[tuple[Doc, dict[str, Any]]] = counted()
        if uncertain is not None:
            sampler = UncertaintySampler(pipe, uncertain)
            stack.enter_context(sampler.showing_candidates())
            chosen = sampler.sample(chosen)
        write(_count_into(report, chosen, pipe.key), pipe.key, report)
    return n_docs


def _count_into(
    report: "Report", pairs: Iterable[tuple["Doc", dict[str, Any]]], key: str
) -> Iterator[tuple["Doc", dict[str, Any]]]:
    from ..entities import get_entities

    for doc, extra in pairs:
        report.documents += 1
        report.entities += len(get_entities(doc, key))
        yield doc, extra
