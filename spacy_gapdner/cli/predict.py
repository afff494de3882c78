"""predict: the entities of raw text."""

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from wasabi import msg

from ..errors import GapDNERError
from ._model import BATCH_SIZE, CELL_THRESHOLD, GPU_ID, THRESHOLD, load_pipeline
from ._util import clean_errors

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from ..formats.texts import InputText

# what spaCy learns about words (and would keep for ever) is freed after so many batches
_ZONE_BATCHES = 50


def predict_cli(
    model: str = typer.Argument(..., help="Folder of a trained pipeline, or installed package"),
    input_path: Path = typer.Argument(
        ...,
        metavar="INPUT",
        help='.txt (a document), folder of .txt, .jsonl with a "text" per line, or - for the '
        "lines of standard input",
        allow_dash=True,
    ),
    output_path: Path | None = typer.Option(
        None, "--output", "-o", help="File or folder to write; JSONL on the screen if not given"
    ),
    format: str | None = typer.Option(
        None,
        "--format",
        "-f",
        help="jsonl, brat (a folder), w2ner, inline or spacy; guessed from --output if not given",
    ),
    lines: bool = typer.Option(False, "--lines", help="Every line of a .txt file is a document"),
    spans_key: str | None = typer.Option(
        None, "--spans-key", "-sk", help="Chooses the pipe where the pipeline has several"
    ),
    threshold: float | None = THRESHOLD,
    cell_threshold: float | None = CELL_THRESHOLD,
    batch_size: int | None = BATCH_SIZE,
    n_process: int = typer.Option(
        1, "--n-process", "-n", min=-1, help="Number of CPU processes; -1 for one per core"
    ),
    gpu_id: int = GPU_ID,
    no_progress: bool = typer.Option(
        False, "--no-progress", help="No progress bar (off anyway unless stderr is a terminal)"
    ),
) -> None:
    """Find the entities of raw text. Memory does not grow with the input, except with a single
    .spacy file as output: give a folder and --format spacy to get numbered files instead."""
    from ..formats.writers import ReaderGoneError

    try:
        with clean_errors():
            n_docs = predict(
                model,
                input_path,
                output_path,
                format=format,
                lines=lines,
                spans_key=spans_key,
                threshold=threshold,
                cell_threshold=cell_threshold,
                batch_size=batch_size,
                n_process=n_process,
                gpu_id=gpu_id,
                progress=not no_progress,
            )
    except ReaderGoneError:
        # head and the like; Python would complain when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    if output_path is not None:
        msg.good(f"{n_docs} documents")
        print(output_path)


def predict(
    model: str | Path,
    input_path: Path,
    output_path: Path | None = None,
    *,
    format: str | None = None,
    lines: bool = False,
    spans_key: str | None = None,
    threshold: float | None = None,
    cell_threshold: float | None = None,
    batch_size: int | None = None,
    n_process: int = 1,
    gpu_id: int = -1,
    progress: bool = False,
) -> int:
    """Find the entities of raw text and write them.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    input_path (Path): See `read_texts`.
    output_path (Optional[Path]): What to write, whole or not at all; files of the same name are
        replaced. None writes JSONL to standard output.
    format (Optional[str]): "jsonl", "brat", "w2ner", "inline" or "spacy"; guessed from the
        output's ending if None.
    lines (bool): Make every line of a .txt file a document.
    spans_key (Optional[str]): Chooses one of several pipes.
    threshold (Optional[float]): Entities with a lower score are dropped; the pipe's own if None.
    cell_threshold (Optional[float]): Labels of the grid are used from this probability on; the
        pipe's own if None.
    batch_size (Optional[int]): Documents per batch; the pipeline's own if None.
    n_process (int): Number of processes; -1 for one per core.
    gpu_id (int): GPU to use; -1 for the CPU.
    progress (bool): Show a progress bar if stderr is a terminal.
    RETURNS (int): The number of documents.
    RAISES (GapDNERError): If the pipeline, the input or an option cannot be used.
    """
    from tqdm import tqdm

    from ..formats.texts import read_texts
    from ..formats.writers import choose_writer

    write = choose_writer(output_path, format)
    # brat files would replace the texts and the annotation beside them
    taken = {input_path.resolve()}
    if input_path.is_file():
        taken.add(input_path.resolve().parent)
    if output_path is not None and output_path.resolve() in taken:
        raise GapDNERError(f"{output_path} holds the input. Choose another output.")
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
    n_docs = 0

    def counted() -> Iterator[tuple["Doc", dict[str, Any]]]:
        nonlocal n_docs
        pairs = predict_docs(nlp, texts, batch_size=batch_size, n_process=n_process)
        # None: only on a terminal
        disable = None if progress else True
        for pair in tqdm(pairs, unit=" docs", disable=disable, file=sys.stderr):
            n_docs += 1
            yield pair

    write(counted(), pipe.key)
    return n_docs


def predict_docs(
    nlp: "Language",
    texts: Iterable["InputText"],
    *,
    batch_size: int | None = None,
    n_process: int = 1,
) -> Iterator[tuple["Doc", dict[str, Any]]]:
    """Run a pipeline over a stream of texts.

    In one process a Doc is valid until the next is asked for: spaCy's memory zones keep its
    vocabulary from growing with the input.

    nlp (Language): The pipeline.
    texts (Iterable[InputText]): The texts; never more than a few batches of them are asked for
        in advance.
    batch_size (Optional[int]): Documents per batch; the pipeline's own if None. In one process a
        batch of long texts is smaller.
    n_process (int): Number of processes; -1 for one per core.
    YIELDS (tuple[Doc, dict[str, Any]]): Docs in the texts' order, with what else their records
        hold. The name is in ``doc.user_data["gapdner_document"]``.
    """
    from ..analysis.predictions import batch_texts
    from ..formats import DOC_NAME

    size = batch_size or nlp.batch_size

    def run(part: Iterable["InputText"]) -> Iterator[tuple["Doc", dict[str, Any]]]:
        pairs = ((text.text, text) for text in part)
        for doc, text in nlp.pipe(pairs, as_tuples=True, batch_size=size, n_process=n_process):
            # nothing that other pipes left there, such as a transformer's output
            doc.user_data = {} if text.name is None else {DOC_NAME: text.name}
            yield doc, text.extra

    if n_process != 1:
        yield from run(texts)
        return
    batches = batch_texts(texts, size, lambda text: len(text.text))
    for first in batches:
        with nlp.memory_zone():
            for batch in chain([first], islice(batches, _ZONE_BATCHES - 1)):
                yield from run(batch)
