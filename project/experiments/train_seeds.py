"""Train with several seeds, and record the runs."""

import shutil
from pathlib import Path
from timeit import default_timer
from typing import Any

from wasabi import msg

from spacy_gapdner import evaluate
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.docbin import read_docbin
from spacy_gapdner.inference.loading import load_recognizer, use_gpu

from ..docbins import require_docbins
from ..environment import get_commit, get_device, get_versions
from . import training
from .comparable import list_differences
from .runs import RUN_FILE, Run, describe_data, read_run, write_run
from .training import MODEL_BEST, MODEL_LAST, RunConfig, read_run_config


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
    """Train with several seeds, and evaluate the best models on the development and test data.
    Completed runs are not repeated. The caller has to import `code`, too.

    RETURNS (tuple[list[Run], dict[int, str]]): The runs, and the errors by seed.
    RAISES (GapDNERError): If the config or the data is invalid, or the output folder contains a run
        with other settings or data.
    """
    # before all training runs fail for the same reason
    use_gpu(gpu_id)
    configs = {seed: read_run_config(config_path, overrides or {}, seed) for seed in seeds}
    config, *_ = configs.values()
    paths = {part: config.config.get("paths", {}).get(part) for part in ("train", "dev")}
    for part, path in paths.items():
        if not path:
            raise GapDNERError(f"The config has no data path. Set it with --paths.{part} PATH.")
    paths |= {"test": test_path} if test_path else {}
    data = {part: describe_data(Path(path), config.spans_key) for part, path in paths.items()}
    folders = {seed: output_path / f"seed_{seed}" for seed in seeds}
    runs, errors = {}, {}
    for seed, folder in folders.items():
        path = folder / RUN_FILE
        if path.exists():
            runs[seed] = read_run(path)
            differences = list_differences(runs[seed], name, configs[seed].filled, data)
            if differences:
                raise GapDNERError(
                    f"{path} belongs to another run: {differences}. Use another OUTPUT, or delete "
                    f"{folder} to train it again."
                )
            msg.info(f"Seed {seed} is already complete: {path}")

    for seed in (seed for seed in seeds if seed not in runs):
        msg.divider(f"{name}, seed {seed}")
        folder = folders[seed]
        try:
            found = _train(folder, configs[seed], paths, gpu_id, code)
        except GapDNERError as error:
            errors[seed] = str(error)
            continue
        for model in (MODEL_LAST,) if keep_models else (MODEL_LAST, MODEL_BEST):
            shutil.rmtree(folder / model, ignore_errors=True)
        runs[seed] = Run(name=name, seed=seed, data=data, **found)
        write_run(runs[seed], folder / RUN_FILE)
    return [runs[seed] for seed in seeds if seed in runs], errors


def _train(
    folder: Path, config: RunConfig, paths: dict[str, Any], gpu_id: int, code: Path | None
) -> dict[str, Any]:
    # before the training: the clone can change in the meantime
    commit, scores = get_commit(), {}
    start = default_timer()
    training.train(config.config, folder, gpu_id, code)
    seconds = {"train": default_timer() - start}
    evaluations, selected = training.read_evaluations(folder)
    for part in (part for part in ("dev", "test") if part in paths):
        start = default_timer()
        scores[part] = _score(folder / MODEL_BEST, Path(paths[part]), config.spans_key, gpu_id)
        seconds[part] = default_timer() - start
    return {
        "config": config.filled,
        "versions": get_versions(),
        "commit": commit,
        "device": get_device(gpu_id),
        "evaluations": evaluations,
        "selected": selected,
        "scores": scores,
        "seconds": seconds,
    }


def _score(model: Path, data: Path, key: str, gpu_id: int) -> dict[str, Any]:
    nlp, _ = load_recognizer(model, gold_key=key, gpu_id=gpu_id)
    docs = (doc for file in require_docbins(data) for doc in read_docbin(file, nlp.vocab))
    return {"model": str(model), "data": str(data), **evaluate(nlp, docs, spans_key=key)}
