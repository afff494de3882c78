"""benchmark: how fast a trained pipeline is, where its time goes and how much memory it takes."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.docbin import read_docbin, require_docbins
from ..formats.files import write_json
from ._model import GPU_ID, load_pipeline
from ._util import clean_errors, fail, split_list

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from ..benchmark.run import Benchmark
    from ..pipe import DiscontinuousEntityRecognizer

_N_MADE_UP = 300


def benchmark_cli(
    model: str = typer.Argument(..., help="Folder of a trained pipeline, or installed package"),
    data: Path | None = typer.Argument(
        None, help=".spacy file, or folder of such; made-up sentences if not given"
    ),
    output_path: Path | None = typer.Option(
        None, "--output", "-o", help="JSON file for everything that was measured"
    ),
    limit: int = typer.Option(
        300, "--limit", "-n", min=0, help="Measure the first so many sentences; 0 for all"
    ),
    repeats: int = typer.Option(
        3, "--repeats", "-r", min=1, help="Repeat so often; the least time counts"
    ),
    threads: str | None = typer.Option(
        None, "--threads", "-t", help="Threads, e.g. 1 or 1,2; PyTorch's own number if not given"
    ),
    batch_sizes: str | None = typer.Option(
        None,
        "--batch-size",
        help="Sentences per batch, e.g. 12 or 4,12,64; if not given 12 in training and the "
        "pipeline's own in prediction",
    ),
    training: bool = typer.Option(True, "--training/--no-training", help="Measure training"),
    memory: bool = typer.Option(True, "--memory/--no-memory", help="Measure memory"),
    doc_lengths: str | None = typer.Option(
        None, "--doc-lengths", help="Measure documents of so many words, e.g. 1000,4000,16000"
    ),
    sentence_lengths: str | None = typer.Option(
        None, "--sentence-lengths", help="Measure sentences of so many words, e.g. 256,1024"
    ),
    cpu_time: bool = typer.Option(
        False,
        "--cpu-time",
        help="Count the time that the process computes, not the time that passes: for one thread "
        "on a machine that has other work",
    ),
    precision: str | None = typer.Option(
        None,
        "--precision",
        help="Multiply float32 matrices so: highest, high or medium (in bfloat16 where the CPU "
        "or GPU can)",
    ),
    encoder: str | None = typer.Option(
        None, "--encoder", help="Exchange the transformer for this one: its folder or name"
    ),
    random_encoder: str | None = typer.Option(
        None,
        "--random-encoder",
        help="Exchange the transformer for an untrained BERT: tiny, mini, small, medium, base or "
        "large",
    ),
    spans_key: str | None = typer.Option(
        None, "--spans-key", "-sk", help="Chooses the pipe where the pipeline has several"
    ),
    gpu_id: int = GPU_ID,
) -> None:
    """Measure words per second of prediction and training, against the encoder alone on the same
    batches, by sentence length and batch size; the share of the time of each part; peak memory."""
    numbers = {
        "--threads": threads,
        "--batch-size": batch_sizes,
        "--doc-lengths": doc_lengths,
        "--sentence-lengths": sentence_lengths,
    }
    parsed = {name: _parse_numbers(name, text) for name, text in numbers.items()}
    with clean_errors():
        if output_path is not None:
            _check_output(output_path)
        found = benchmark(
            model,
            data,
            limit=limit,
            repeats=repeats,
            threads=parsed["--threads"],
            batch_sizes=parsed["--batch-size"],
            training=training,
            memory=memory,
            doc_lengths=parsed["--doc-lengths"],
            sentence_lengths=parsed["--sentence-lengths"],
            cpu_time=cpu_time,
            precision=precision,
            encoder=encoder,
            random_encoder=random_encoder,
            spans_key=spans_key,
            gpu_id=gpu_id,
            report=_report,
        )
        if output_path is not None:
            write_json(found.to_dict(), output_path)
    print_benchmark(found)
    if output_path is not None:
        print(output_path)


def benchmark(
    model: str | Path,
    data: Path | None = None,
    *,
    limit: int = 300,
    repeats: int = 3,
    threads: Sequence[int] = (),
    batch_sizes: Sequence[int] = (),
    training: bool = True,
    memory: bool = True,
    doc_lengths: Sequence[int] = (),
    sentence_lengths: Sequence[int] = (),
    cpu_time: bool = False,
    precision: str | None = None,
    encoder: str | None = None,
    random_encoder: str | None = None,
    spans_key: str | None = None,
    gpu_id: int = -1,
    report: Callable[[str], object] = lambda message: None,
) -> "Benchmark":
    """Measure a pipeline.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    data (Optional[Path]): A .spacy file, or a folder of such files; made-up sentences if None.
    limit (int): Take so many sentences; all if 0 (300 of those that are made up).
    repeats (int): How often everything is computed; the least time counts.
    threads (Sequence[int]): Numbers of threads; PyTorch's own if none are given.
    batch_sizes (Sequence[int]): Sentences of a batch; if none are given, those of the pipeline in
        prediction and 12 in training.
    training (bool): Measure training, too.
    memory (bool): Measure memory, too, in other processes.
    doc_lengths (Sequence[int]): Measure documents of so many words, in other processes.
    sentence_lengths (Sequence[int]): Measure sentences of so many words, each as one grid, in
        other processes.
    cpu_time (bool): Count the time that the process computes, not the time that passes; for one
        thread without a GPU.
    precision (Optional[str]): How precisely float32 matrices are multiplied: "highest", "high" or
        "medium"; as the pipeline sets it if None.
    encoder (Optional[str]): Folder or name of a Hugging Face model to put into the place of the
        transformer; nothing else is trained then.
    random_encoder (Optional[str]): The size of an untrained BERT to put there.
    spans_key (Optional[str]): Chooses one of several pipes.
    gpu_id (int): GPU to use; -1 for the CPU.
    report (Callable[[str], object]): Told what is measured next.
    RETURNS (Benchmark): What was found.
    RAISES (GapDNERError): If the pipeline, the data or an option cannot be used.
    """
    from ..benchmark.corpus import read_corpus
    from ..benchmark.process import Setup
    from ..benchmark.run import Options, run_benchmark
    from ..experiments.training import get_device, get_versions
    from ..model.profiling import default_threads

    _check_settings(precision, encoder, random_encoder)
    n_threads = tuple(threads) or (default_threads(),)
    if cpu_time and (n_threads != (1,) or gpu_id >= 0):
        raise GapDNERError("--cpu-time is for one thread without a GPU: give --threads 1.")
    files = None if data is None else require_docbins(data)
    nlp, pipe = load_pipeline(model, spans_key=spans_key, gpu_id=gpu_id)
    if encoder is not None or random_encoder is not None:
        nlp, pipe = _exchange(nlp, pipe, encoder, random_encoder)
    corpus = read_corpus(nlp, pipe, _read_docs(nlp, files, limit), limit)
    if not corpus.examples:
        raise GapDNERError(f"{data} holds no text. Check the path.")
    options = Options(
        limit=limit,
        repeats=repeats,
        threads=n_threads,
        batch_sizes=tuple(batch_sizes),
        training=training,
        memory=memory,
        doc_lengths=tuple(doc_lengths),
        sentence_lengths=tuple(sentence_lengths),
    )
    setup = Setup(
        model=str(model),
        pipe=pipe.name,
        gpu_id=gpu_id,
        n_threads=options.threads[0],
        precision=precision,
        encoder=encoder,
        random_size=random_encoder,
        cpu_time=cpu_time,
    )
    about = {"data": str(data or "made up"), "device": get_device(gpu_id), **get_versions()}
    return run_benchmark(nlp, pipe, corpus, setup, options, about, report)


def print_benchmark(found: "Benchmark") -> None:
    """Print what was measured.

    found (Benchmark): What `benchmark` returns.
    """
    from ._benchmark_tables import make_tables
    from .compare import print_table

    corpus = found.corpus
    n_sentences, n_words = len(corpus.examples), sum(corpus.lengths)
    print(
        f"{len(corpus.texts):,} documents, {n_sentences:,} sentences, {n_words:,} words; encoder "
        f"of {found.n_weights / 1e6:.1f} million weights"
    )
    for table in make_tables(found):
        print_table(table)
    if corpus.n_left_out:
        msg.warn(
            f"{corpus.n_left_out} entities took no part in training: the pipeline does not know "
            "their type, or its tokens or sentences do not fit them."
        )


def _check_output(path: Path) -> None:
    # before the work, which takes minutes

    if path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")
    path.parent.mkdir(parents=True, exist_ok=True)


def _check_settings(precision: str | None, encoder: str | None, random_encoder: str | None) -> None:
    from ..model.exchange import BERT_SIZES
    from ..model.precision import PRECISIONS

    if precision is not None and precision not in PRECISIONS:
        raise GapDNERError(f"--precision {precision} is none of {', '.join(PRECISIONS)}.")
    if random_encoder is not None and random_encoder not in BERT_SIZES:
        raise GapDNERError(f"--random-encoder {random_encoder} is none of {', '.join(BERT_SIZES)}.")
    if encoder is not None and random_encoder is not None:
        raise GapDNERError("Give --encoder or --random-encoder, not both.")


def _exchange(
    nlp: "Language",
    pipe: "DiscontinuousEntityRecognizer",
    encoder: str | None,
    random_encoder: str | None,
) -> tuple["Language", "DiscontinuousEntityRecognizer"]:
    from ..model.exchange import exchange_encoder

    try:
        new = exchange_encoder(nlp, pipe.name, encoder=encoder, random_size=random_encoder)
    # what cannot be loaded fails anywhere in transformers
    except Exception as error:
        raise GapDNERError(
            f"Cannot exchange the transformer for {encoder or random_encoder} "
            f"({type(error).__name__}): {error}"
        ) from None
    return new, cast("DiscontinuousEntityRecognizer", new.get_pipe(pipe.name))


def _read_docs(nlp: "Language", files: list[Path] | None, limit: int) -> Iterable["Doc"]:
    from ..benchmark.sample import make_texts

    if files is None:
        return [nlp.make_doc(text) for text in make_texts(limit or _N_MADE_UP)]
    return (doc for file in files for doc in read_docbin(file, nlp.vocab))


def _report(message: str) -> None:
    if sys.stderr.isatty():
        typer.echo(message, err=True)


def _parse_numbers(name: str, text: str | None) -> list[int]:
    try:
        numbers = [int(number) for number in split_list(text)]
    except ValueError:
        numbers = []
    if text is not None and (not numbers or min(numbers) < 1 or len(set(numbers)) < len(numbers)):
        fail(f"{name} {text} is not a list of different numbers from 1 on, such as 1,2.")
    return numbers
