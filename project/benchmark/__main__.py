"""The command ``python -m project.benchmark``."""

from pathlib import Path

import torch
import typer

from spacy_gapdner.cli._options import CODE, GPU_ID
from spacy_gapdner.cli._util import clean_errors
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.outputs import check_output, write_json

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
    code: Path | None = CODE,
    gpu_id: int = GPU_ID,
) -> None:
    """Measure the speed and memory of pipelines.

    Prints the words per second of prediction and training, compared with the encoder on the same
    batches, each part's share of the time, and the peak memory. Pipelines with spaCy's ner or
    spancat can be measured, too. Their files do not change."""
    threads = threads or torch.get_num_threads()
    with clean_errors():
        if cpu_time and (threads != 1 or gpu_id >= 0):
            raise GapDNERError("--cpu-time requires --threads 1 and no GPU.")
        check_output(json_path, {"data": data}, force=True)
        # report invalid pipelines before measuring the others
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
        write_json(found, json_path)
    print(f"{found[0]['docs']:,} Docs, {found[0]['words']:,} words")
    for table in make_tables(found):
        table.print()


if __name__ == "__main__":
    app(prog_name="python -m project.benchmark")
