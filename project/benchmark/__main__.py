"""Run the command ``python -m project.benchmark``."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import torch
import typer

from spacy_gapdner.cli._options import CODE, GPU_ID
from spacy_gapdner.cli._util import clean_errors, split_list
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.outputs import check_output, write_json

from ..experiments.spacy_pipes import PIPES
from .data import load_pipeline
from .memory import Subject
from .pipelines import save_pipelines
from .run import measure_overhead, run_benchmark
from .speed import TRAINING_BATCH
from .tables import make_overhead_tables, make_tables, print_tables

_TRIALS = Path("project/corpus/trials/test.spacy")
app = typer.Typer(name="project.benchmark", rich_markup_mode=None)


@app.command()
def benchmark_cli(
    models: list[str] | None = typer.Argument(
        None, help="Folders of trained pipelines, or installed packages"
    ),
    data: Path = typer.Option(
        _TRIALS,
        "--data",
        "-d",
        help=".spacy file with gold entities, or folder of such files, preferably with one "
        "sentence per Doc",
    ),
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for all measurements"),
    limit: int = typer.Option(300, "--limit", "-n", min=0, help="Number of Docs, 0 for all"),
    repeats: int = typer.Option(
        3, "--repeats", "-r", min=1, help="Number of repetitions. The shortest time counts"
    ),
    threads: int | None = typer.Option(
        None, "--threads", "-t", min=1, help="Number of threads. PyTorch's number by default"
    ),
    cpu_time: bool = typer.Option(
        False,
        "--cpu-time",
        help="Measure CPU time instead of wall time, for use on a busy machine",
    ),
    train_batches: str = typer.Option(
        str(TRAINING_BATCH), help="Comma-separated numbers of Docs per training batch"
    ),
    pipe_batches: str | None = typer.Option(
        None,
        help="Comma-separated numbers of Docs per batch of nlp.pipe. nlp.batch_size by default",
    ),
    overhead: bool = typer.Option(
        False,
        "--overhead",
        help="Measure the time outside of the networks, with a BERT of one layer: CPU time with "
        "one thread, or wall time on a GPU",
    ),
    random_encoder: Literal["minilm", "base"] | None = typer.Option(
        None, help="Measure new pipelines on a BERT of this size with random weights"
    ),
    encoder: str | None = typer.Option(
        None,
        help="Measure new pipelines on a Hugging Face model, given by folder or name. --overhead "
        "and --random-encoder use only its tokenizer",
    ),
    pipes: str = typer.Option(
        "gapdner,ner,spancat", help="Pipes of the new pipelines, separated by commas"
    ),
    code: Path | None = CODE,
    gpu_id: int = GPU_ID,
) -> None:
    """Measure the speed and memory of pipelines.

    Prints the words per second of prediction and training, compared with the encoder on the same
    batches, each part's share of the time, and the peak memory. Pipelines with spaCy's ner or
    spancat can be measured, too. Their files do not change. Instead of trained pipelines, new ones
    can be measured, see --overhead, --random-encoder and --encoder."""
    threads = threads or (1 if overhead else torch.get_num_threads())
    cpu_time = cpu_time or (overhead and gpu_id < 0)
    size = "tiny" if overhead else random_encoder
    with clean_errors(), TemporaryDirectory() as folder:
        if cpu_time and (threads != 1 or gpu_id >= 0):
            raise GapDNERError("--cpu-time requires --threads 1 and no GPU.")
        if bool(models) == bool(size or encoder) or (overhead and random_encoder):
            raise GapDNERError(
                "Specify either MODELS, or --overhead, --random-encoder or --encoder."
            )
        if unknown := set(split_list(pipes)) - {"gapdner", *PIPES}:
            raise GapDNERError(f"Unknown --pipes: {', '.join(unknown)}. Use gapdner,ner,spancat.")
        check_output(json_path, {"data": data}, force=True)
        measure = measure_overhead
        if not overhead:
            sizes = {"train_batches": _read_sizes(train_batches)}
            sizes["pipe_batches"] = _read_sizes(pipe_batches) or [None]
            measure = partial(run_benchmark, **sizes)
        named = {model: model for model in models or ()}
        if not models:
            made = save_pipelines(
                Path(folder), split_list(pipes), data, limit, gpu_id, size=size, encoder=encoder
            )
            named = {path.name: str(path) for path in made}
        # report invalid pipelines before measuring the others
        for model in named.values():
            load_pipeline(model, gpu_id)
        found = []
        for name, model in named.items():
            subject = Subject(model, str(data), limit, threads, gpu_id, str(code) if code else None)
            result = measure(subject, repeats=repeats, cpu_time=cpu_time)
            found.append({**result, "model": name, "encoder": size or encoder})
            # nothing is lost if a later measurement fails
            write_json(found, json_path)
            if len(found) == 1:
                print(f"{result['docs']:,} Docs, {result['words']:,} words")
            if not overhead:
                print_tables(make_tables(found[-1]))
    if overhead:
        print_tables(make_overhead_tables(found))


def _read_sizes(text: str | None) -> list[int]:
    sizes = split_list(text)
    if not all(size.isdecimal() and int(size) for size in sizes):
        raise GapDNERError(f"Invalid batch sizes: {text}. Use positive numbers, such as 12,32.")
    return [int(size) for size in sizes]


if __name__ == "__main__":
    app(prog_name="python -m project.benchmark")
