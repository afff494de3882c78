"""predict: the entities of raw text."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from wasabi import msg

from ..errors import GapDNERError
from . import _options as options
from ._model import load_pipeline
from ._util import clean_errors

if TYPE_CHECKING:
    from spacy.tokens import Doc


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
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    cell_threshold: float | None = options.CELL_THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    n_process: int = typer.Option(
        1, "--n-process", min=-1, help="Number of CPU processes; -1 for one per core"
    ),
    gpu_id: int = options.GPU_ID,
    no_progress: bool = typer.Option(
        False, "--no-progress", help="No progress bar (off anyway unless stderr is a terminal)"
    ),
) -> None:
    """Find the entities of raw text.

    Memory does not grow with the input, except with a single .spacy file as output: give a folder
    and --format spacy to get numbered files instead."""
    from ..formats.writers import ReaderGoneError

    n_docs = 0

    def counted(pairs: Iterable[tuple["Doc", dict[str, Any]]]) -> Iterator[Any]:
        from tqdm import tqdm

        nonlocal n_docs
        # None: only on a terminal
        disable = True if no_progress else None
        for pair in tqdm(pairs, unit=" docs", disable=disable, file=sys.stderr):
            n_docs += 1
            yield pair

    try:
        with clean_errors():
            from ..analysis.predictions import predict_records
            from ..formats.texts import read_texts
            from ..formats.writers import choose_writer

            write = choose_writer(output_path, format)
            _check_paths(input_path, output_path)
            if n_process == 0:
                raise GapDNERError("--n-process must be -1 or at least 1.")
            if gpu_id >= 0 and n_process != 1:
                raise GapDNERError("Several processes cannot share a GPU: leave out --n-process.")
            texts = read_texts(input_path, lines=lines)
            nlp, pipe = load_pipeline(
                model,
                spans_key=spans_key,
                threshold=threshold,
                cell_threshold=cell_threshold,
                gpu_id=gpu_id,
            )
            pairs = predict_records(nlp, texts, batch_size=batch_size, n_process=n_process)
            write(counted(pairs), pipe.key)
    except ReaderGoneError:
        # head and the like; Python would complain when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    if output_path is not None:
        msg.good(f"{n_docs} documents")
        print(output_path)


def _check_paths(input_path: Path, output_path: Path | None) -> None:
    # brat files would replace the texts and the annotation beside them
    taken = {input_path.resolve()}
    if input_path.is_file():
        taken.add(input_path.resolve().parent)
    if output_path is not None and output_path.resolve() in taken:
        raise GapDNERError(f"{output_path} holds the input. Choose another output.")
