"""The command ``python -m project.benchmark``."""

from pathlib import Path

import torch
import typer

from spacy_gapdner.cli._options import CODE, GPU_ID
from spacy_gapdner.cli._util import clean_errors
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.outputs import check_output, write_json

from ..tables import print_table
from .data import load_pipeline
from .memory import Subject
from .run import make_tables, run_benchmark

_TRIALS = Path("project/corpus/chia/test.spacy")
app = typer.Typer(name="project.benchmark", rich_markup_mode=None)


@app.command()
def benchmark_cli(
    models: list[str] = typer.Argument(
        ..., help="Folders of trained pipelines, or installed packages"
    ),
    data: Path = typer.Option(
        _TRIALS,
        "--data",
        "-d",
        help=".spacy file with gold entities, or folder of such; best of one sentence each",
    ),
    json_path: Path | None = typer.Option(
        None, "--json", help="JSON file for everything that was measured"
    ),
    limit: int = typer.Option(300, "--limit", "-n", min=0, help="Docs to take; 0 for all"),
    repeats: int = typer.Option(
        3, "--repeats", "-r", min=1, help="Repeat so often; the least time counts"
    ),
    threads: int | None = typer.Option(
        None, "--threads", "-t", min=1, help="Threads; PyTorch's own number if not given"
    ),
    cpu_time: bool = typer.Option(
        False,
        "--cpu-time",
        help="Count the time that the process computes: for one thread on a busy machine",
    ),
    code: Path | None = CODE,
    gpu_id: int = GPU_ID,
) -> None:
    """Measure how fast pipelines are, one after the other.

    Words per second of prediction and training, next to the encoder alone on the same batches; the
    share of the time of each part; peak memory. Pipelines can also have spaCy's own ner or spancat.
    Their files are not changed."""
    threads = threads or torch.get_num_threads()
    with clean_errors():
        if cpu_time and (threads != 1 or gpu_id >= 0):
            raise GapDNERError("--cpu-time is for one thread without a GPU: give --threads 1.")
        check_output(json_path, {"data": data})
        # pipelines that cannot be loaded are reported before others are measured
        for model in models:
            load_pipeline(model, gpu_id)
        found = [
            run_benchmark(
                Subject(model, str(data), limit, threads, gpu_id, str(code) if code else None),
                repeats=repeats,
                cpu_time=cpu_time,
            )
            for model in models
        ]
        if json_path is not None:
            write_json(found, json_path)
    print(f"{found[0]['docs']:,} Docs, {found[0]['words']:,} words")
    for table in make_tables(found):
        print_table(table)


if __name__ == "__main__":
    app(prog_name="python -m project.benchmark")
