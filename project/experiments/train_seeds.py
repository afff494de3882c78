"""One config, several seeds, a record of every run."""

from pathlib import Path
from timeit import default_timer
from typing import Any, NamedTuple

from spacy.vocab import Vocab
from wasabi import msg

from spacy_gapdner import evaluate
from spacy_gapdner.analysis.pipes import load_pipeline, use_gpu
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.docbin import read_docbin, require_docbins

from ..environment import get_commit, get_device, get_versions
from . import training
from .runs import RUN_FILE, DataFile, Run, describe_file, find_differences, read_run, write_run
from .training import MODEL_BEST, MODEL_LAST, RunConfig, read_run_config

_N_DIFFERENCES = 5


class _Plan(NamedTuple):
    # what the runs of all seeds have in common
    name: str
    paths: dict[str, Path]
    data: dict[str, list[DataFile]]
    keep_models: bool
    code: Path | None
    gpu_id: int


def train_seeds(
    config_path: Path,
    output_path: Path,
    *,
    name: str,
    seeds: list[int],
    overrides: dict[str, Any] | None = None,
    test_path: Path | None = None,
    keep_models: bool = True,
    code: Path | None = None,
    gpu_id: int = -1,
) -> tuple[list[Run], dict[int, str]]:
    """Train with several seeds.

    config_path (Path): Training config whose best model is that of the best micro F1 on the
        development data.
    output_path (Path): Takes a folder per seed, with run.json.
    name (str): What the runs have in common.
    seeds (list[int]): The seeds.
    overrides (Optional[dict[str, Any]]): Settings by dotted name that replace the config's.
    test_path (Optional[Path]): Data to report scores on.
    keep_models (bool): Keep the best model of every seed.
    code (Optional[Path]): Python file, imported here already, that the trainings import.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (tuple[list[Run], dict[int, str]]): The runs, and what went wrong by seed.
    RAISES (GapDNERError): If the config or the data cannot be used, or a folder holds a run with
        other settings or data.
    """
    # before the trainings fail one by one
    use_gpu(gpu_id)
    configs = {seed: read_run_config(config_path, overrides or {}, seed) for seed in seeds}
    config = configs[seeds[0]]
    paths = {part: config.path(part) for part in ("train", "dev")}
    paths |= {"test": test_path} if test_path else {}
    data = {part: _describe(path, config.spans_key) for part, path in paths.items()}
    plan = _Plan(name, paths, data, keep_models, code, gpu_id)
    runs, errors = {}, {}
    for seed in seeds:
        path = output_path / f"seed_{seed}" / RUN_FILE
        if path.exists():
            runs[seed] = read_run(path)
            _check_same(runs[seed], path, configs[seed], plan)
            msg.info(f"Seed {seed} is there: {path}")
    for seed in seeds:
        if seed not in runs:
            msg.divider(f"{name}, seed {seed}")
            try:
                runs[seed] = _run(output_path / f"seed_{seed}", seed, configs[seed], plan)
            except GapDNERError as error:
                errors[seed] = str(error)
    return [runs[seed] for seed in seeds if seed in runs], errors


def _run(folder: Path, seed: int, config: RunConfig, plan: _Plan) -> Run:
    commit = get_commit()
    start = default_timer()
    training.train(config, folder, plan.gpu_id, plan.code)
    seconds = {"train": default_timer() - start}
    evaluations, selected = training.read_evaluations(folder)
    scores: dict[str, dict[str, Any]] = {}
    for part in ("dev", "test"):
        if part in plan.paths:
            start = default_timer()
            scores[part] = _score(folder / MODEL_BEST, plan.paths[part], config, plan.gpu_id)
            seconds[part] = default_timer() - start
    run = Run(
        name=plan.name,
        seed=seed,
        config=config.filled,
        versions=get_versions(),
        commit=commit,
        device=get_device(plan.gpu_id),
        data=plan.data,
        evaluations=evaluations,
        selected=selected,
        scores=scores,
        seconds=seconds,
    )
    training.remove_models(folder, *((MODEL_LAST,) if plan.keep_models else ()))
    write_run(run, folder / RUN_FILE)
    return run


def _score(model: Path, data: Path, config: RunConfig, gpu_id: int) -> dict[str, Any]:
    nlp, _ = load_pipeline(model, spans_key=config.spans_key, gpu_id=gpu_id)
    docs = (doc for file in require_docbins(data) for doc in read_docbin(file, nlp.vocab))
    scores = evaluate(nlp, docs, spans_key=config.spans_key)
    return {"model": str(model), "data": str(data), **scores}


def _describe(path: Path, key: str) -> list[DataFile]:
    files = require_docbins(path)
    return [describe_file(file, read_docbin(file, Vocab()), key) for file in files]


def _check_same(run: Run, path: Path, config: RunConfig, plan: _Plan) -> None:
    differences = find_differences(run, plan.name, config.filled, plan.data)
    if differences:
        more = len(differences) - _N_DIFFERENCES
        listed = "; ".join(differences[:_N_DIFFERENCES]) + (f"; and {more} more" * (more > 0))
        raise GapDNERError(
            f"{path} is of another run: {listed}. Give another OUTPUT, or delete {path.parent} to "
            "train it again."
        )
