"""train-seeds: one config, several seeds, a record of every run."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from timeit import default_timer
from types import FrameType
from typing import TYPE_CHECKING, Any

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.docbin import read_docbin, require_docbins
from ._model import GPU_ID, use_gpu
from ._util import clean_errors, fail, split_list

if TYPE_CHECKING:
    from ..experiments.runs import DataFile, Run
    from ..experiments.training import Setup

_N_DIFFERENCES = 5
# spaCy's commands take settings of the config as options
CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}


def train_seeds_cli(
    context: typer.Context,
    config_path: Path = typer.Argument(..., metavar="CONFIG", help="Training config"),
    output_path: Path = typer.Argument(
        ..., metavar="OUTPUT", help="Folder that takes a folder per seed"
    ),
    name: str = typer.Option(..., "--name", help="Name of the runs in tables, e.g. GapDNER"),
    seeds: str = typer.Option("0,1,2,3,4", "--seeds", help="Seeds, with commas between them"),
    test_path: Path | None = typer.Option(
        None, "--test", help=".spacy file, or folder of such, to report scores on; never to choose"
    ),
    keep_models: bool = typer.Option(
        True, "--keep-models/--no-keep-models", help="Keep the best model of every seed"
    ),
    gpu_id: int = GPU_ID,
) -> None:
    """Train with several seeds, each in a process of its own; evaluate the model that is best on
    the development data; record every run in a run.json. Settings of the config can be given as
    options, as for spacy train. Runs that are complete are not repeated."""
    from spacy.cli._util import parse_config_overrides

    overrides = parse_config_overrides(list(context.args))
    with clean_errors(), _exit_on_sigterm():
        runs, errors = train_seeds(
            config_path,
            output_path,
            name=name,
            seeds=_parse_seeds(seeds),
            overrides=overrides,
            test_path=test_path,
            keep_models=keep_models,
            gpu_id=gpu_id,
        )
    if runs:
        print_runs(runs)
    if errors:
        fail(" ".join(f"Seed {seed}: {error}" for seed, error in errors.items()))


def train_seeds(
    config_path: Path,
    output_path: Path,
    *,
    name: str,
    seeds: list[int],
    overrides: dict[str, Any] | None = None,
    test_path: Path | None = None,
    keep_models: bool = True,
    gpu_id: int = -1,
) -> tuple[list["Run"], dict[int, str]]:
    """Train with several seeds.

    config_path (Path): Training config whose best model is that of the best micro F1 on the
        development data.
    output_path (Path): Takes a folder per seed, with run.json.
    name (str): What the runs have in common.
    seeds (list[int]): The seeds.
    overrides (Optional[dict[str, Any]]): Settings by dotted name that replace the config's.
    test_path (Optional[Path]): Data to report scores on.
    keep_models (bool): Keep the best model of every seed.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (tuple[list[Run], dict[int, str]]): The runs, and what went wrong by seed.
    RAISES (GapDNERError): If the config or the data cannot be used, or a folder holds a run with
        other settings or data.
    """
    from ..experiments.runs import RUN_FILE, read_run
    from ..experiments.training import read_setup

    # before the trainings fail one by one
    use_gpu(gpu_id)
    setups = {seed: read_setup(config_path, overrides or {}, seed) for seed in seeds}
    setup = setups[seeds[0]]
    paths = {part: setup.path(part) for part in ("train", "dev")}
    paths |= {"test": test_path} if test_path else {}
    data = {part: _describe(path, setup.spans_key) for part, path in paths.items()}
    runs, errors = {}, {}
    for seed in seeds:
        path = output_path / f"seed_{seed}" / RUN_FILE
        if path.exists():
            runs[seed] = read_run(path)
            _check_same(runs[seed], path, name, setups[seed], data)
            msg.info(f"Seed {seed} is there: {path}")
    for seed in seeds:
        if seed not in runs:
            msg.divider(f"{name}, seed {seed}")
            folder = output_path / f"seed_{seed}"
            try:
                runs[seed] = _run(
                    folder, name, seed, setups[seed], data, paths, keep_models, gpu_id
                )
            except GapDNERError as error:
                errors[seed] = str(error)
    return [runs[seed] for seed in seeds if seed in runs], errors


def print_runs(runs: list["Run"]) -> None:
    """Print the scores of runs that differ in the seed.

    runs (list[Run]): The runs.
    """
    from ..experiments.summary import PARTS, seed_table
    from .compare import print_table

    for part in PARTS:
        if all(part in run.scores for run in runs):
            print_table(seed_table(runs, part))
    steps = ", ".join(f"{run.seed}: {run.selected.step}" for run in runs)
    print(f"Steps of the best models on dev, by seed: {steps}")


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    # By itself the signal would end this process alone and leave the training running
    def leave(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(
    folder: Path,
    name: str,
    seed: int,
    setup: "Setup",
    data: dict[str, list["DataFile"]],
    paths: dict[str, Path],
    keep_models: bool,
    gpu_id: int,
) -> "Run":
    from ..experiments.runs import RUN_FILE, Run, write_run
    from ..experiments.training import (
        MODEL_BEST,
        MODEL_LAST,
        get_device,
        get_versions,
        read_evaluations,
        remove_models,
        train,
    )
    from .evaluate import evaluate

    start = default_timer()
    train(setup, folder, gpu_id)
    seconds = {"train": default_timer() - start}
    evaluations, selected = read_evaluations(folder)
    scores: dict[str, dict[str, Any]] = {}
    for part in ("dev", "test"):
        if part in paths:
            start = default_timer()
            scores[part] = evaluate(
                folder / MODEL_BEST, paths[part], spans_key=setup.spans_key, gpu_id=gpu_id
            )
            seconds[part] = default_timer() - start
    run = Run(
        name=name,
        seed=seed,
        config=setup.filled,
        versions=get_versions(),
        device=get_device(gpu_id),
        data=data,
        evaluations=evaluations,
        selected=selected,
        scores=scores,
        seconds=seconds,
    )
    remove_models(folder, *((MODEL_LAST,) if keep_models else ()))
    write_run(run, folder / RUN_FILE)
    return run


def _describe(path: Path, key: str) -> list["DataFile"]:
    from spacy.vocab import Vocab

    from ..experiments.runs import describe_file

    files = require_docbins(path)
    return [describe_file(file, read_docbin(file, Vocab()), key) for file in files]


def _check_same(
    run: "Run", path: Path, name: str, setup: "Setup", data: dict[str, list["DataFile"]]
) -> None:
    from ..experiments.runs import find_differences

    differences = find_differences(run, name, setup.filled, data)
    if differences:
        more = len(differences) - _N_DIFFERENCES
        listed = "; ".join(differences[:_N_DIFFERENCES]) + (f"; and {more} more" * (more > 0))
        raise GapDNERError(
            f"{path} is of another run: {listed}. Give another OUTPUT, or delete {path.parent} to "
            "train it again."
        )


def _parse_seeds(text: str) -> list[int]:
    try:
        seeds = [int(seed) for seed in split_list(text)]
    except ValueError:
        seeds = []
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0:
        fail(f"--seeds {text} is not a list of different numbers such as 0,1,2.")
    return seeds
