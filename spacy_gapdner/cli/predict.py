"""predict: find entities in raw text."""

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import typer

from .. import formats
from ..errors import GapDNERError
from . import _options as options
from ._util import clean_stops, counted, exit_if_skipped, msg, print_report, progress


def predict_cli(
    model: str = options.MODEL,
    input_path: Path = typer.Argument(
        metavar="INPUT",
        help='.txt file (one document), folder of .txt files, .jsonl file with a "text" per line, '
        "or - for lines from standard input (with --batch-size 1 to process each line immediately)",
    ),
    output_path: Path | None = options.output(
        help="File or folder to write (default: draw entities in the terminal, or print JSONL if "
        "the output is not a terminal)"
    ),
    force: bool = options.FORCE,
    format: str | None = options.format(
        help="Output format: jsonl, csv, parquet, brat or pubannotation (folders), bioc, "
        "w2ner, inline or spacy (default: detected from --output)"
    ),
    uncertain: int | None = typer.Option(
        None, min=1, help="Number of texts to write: only the least certain, to annotate next"
    ),
    line_breaks: options.LineBreaks | None = options.LINE_BREAKS,
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    n_process: int = typer.Option(1, min=-1, help="Number of CPU processes; -1 for one per core"),
    code: Path | None = options.CODE,
    on_error: options.OnError = options.ON_ERROR,
    resume: bool = typer.Option(
        False, "--resume", help="Complete the JSONL of an interrupted run with the same arguments"
    ),
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
) -> None:
    """Find entities in raw text.

    Memory use does not depend on the size of the input, unless the output is a .spacy, CSV or
    Parquet file. If the command fails or is stopped, OUTPUT.part contains the JSONL written
    so far. The exit code is 3 if documents were skipped."""
    from ..analysis.uncertainty import UncertaintySampler
    from ..drawing.render import text_rows
    from ..formats.jsonl import to_lines
    from ..formats.outputs import check_output, is_device, locked
    from ..formats.registry import choose_output
    from ..inference.loading import load_recognizer
    from ..inference.predictions import predict_records
    from ..inference.texts import part_of, read_texts, resumable_jsonl

    if output_path is None and format not in (None, "jsonl"):
        raise GapDNERError(f"The format {format} cannot be printed. Use --output PATH.")
    is_jsonl = output_path is not None and choose_output(output_path, format).name == "jsonl"
    # grows line by line
    part = part_of(output_path) if output_path and is_jsonl and uncertain is None else None
    if resume and part is None:
        raise GapDNERError("--resume requires JSONL output and cannot be used with --uncertain.")
    if gpu_id >= 0 and n_process != 1:
        raise GapDNERError("Several processes cannot share a GPU: leave out --n-process.")
    replaces = force or resume
    check_output(output_path, {"input": input_path, "model": model}, force=replaces, is_file=None)
    taken = f"Another predict command is writing {output_path}. Choose another --output."
    report, n_done = formats.Report(skip=on_error == "skip"), 0
    try:
        with clean_stops(), ExitStack() as stack:
            if output_path is not None and not is_device(output_path):
                # the path . has no name
                path = output_path.absolute()
                stack.enter_context(locked(path.with_name(f".{path.name}.lock"), taken))
            hint = " Use --resume to continue the run that wrote it."
            check_output(part, {}, force=replaces, hint=hint)
            texts: Iterable[Any] = read_texts(input_path, report)
            nlp, pipe = load_recognizer(
                model,
                spans_key=spans_key,
                threshold=threshold,
                line_breaks=line_breaks,
                gpu_id=gpu_id,
                bf16=bf16,
            )
            stream: IO[bytes] = sys.stdout.buffer
            if output_path is not None and part is not None:
                grown = stack.enter_context(resumable_jsonl(output_path, texts, resume=resume))
                stream, texts, n_done = grown
            found: Iterable[Any] = predict_records(
                nlp, texts, batch_size=batch_size, n_process=n_process, report=report
            )
            draws = output_path is None and format is None and _is_terminal()
            if not draws:
                found = stack.enter_context(progress(found, n_done))
            if uncertain is not None:
                sampler = UncertaintySampler(pipe, uncertain)
                stack.enter_context(sampler.showing_candidates())
                found = sampler.sample(found)
            if draws:
                for drawing in text_rows(((doc,) for doc in found), pipe.key):
                    print(drawing, end="", flush=True)
            elif output_path is None or part is not None:
                for line in to_lines(found, pipe.key):
                    stream.write(line.encode("utf-8"))
                    # the stream contains only complete lines, even if this process is killed
                    stream.flush()
            else:
                formats.write(found, output_path, format, spans_key=pipe.key, report=report)
    except SystemExit:
        hint = ""
        if part is not None and part.exists():
            hint = f" {part} contains the results. Use --resume to continue."
        typer.echo(f"Stopped.{hint}", err=True)
        raise
    if output_path is not None:
        print_report(report)
        n_written = min(uncertain or report.documents, report.documents)
        msg.good(counted(n_done + n_written, "document"))
        print(output_path)
    exit_if_skipped(report)


def _is_terminal() -> bool:
    return sys.stdout.isatty()
