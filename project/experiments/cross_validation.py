"""Cross-validate: train several variants on the same folds, each in its own process."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from timeit import default_timer
from typing import Any

from spacy.cli.train import train
from thinc.api import Config
from wasabi import msg

from spacy_gapdner.analysis.tuning import tune
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import load_docs
from spacy_gapdner.formats.docbin import write_docbin
from spacy_gapdner.formats.files import read_text
from spacy_gapdner.formats.outputs import write_json
from spacy_gapdner.inference.loading import load_recognizer
from spacy_gapdner.inference.predictions import predict_examples

from ..environment import get_commit, get_device, get_versions
from .comparable import list_differences
from .folds import Folds
from .runs import RUN_FILE, Run, describe_data, read_run, write_run
from .training import (
    CONFIG_FILE,
    EVALUATIONS_FILE,
    LOG_FILE,
    MODEL_BEST,
    MODEL_LAST,
    RunConfig,
    read_evaluations,
    read_run_config,
    training_error,
)
from .variants import Variant

PREDICTIONS_FILE, SECONDS_FILE = "predictions.spacy", "seconds.json"
_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Task:
    """The training of a variant without one fold, on which it is scored."""

    variant: Variant
    fold: int
    folder: Path
    config: RunConfig
    data: dict[str, list[dict[str, Any]]]

    @property
    def title(self) -> str:
        return f"{self.variant.name}, fold {self.fold}"


def make_tasks(
    variants: Sequence[Variant], folds: Folds, numbers: Sequence[int], output: Path
) -> list[Task]:
    """RETURNS (list[Task]): A task for each variant and fold, all variants of a fold first. The
    config of a task trains to the last batch, because there are no development data.
    """
    described: dict[Path, list[dict[str, Any]]] = {}
    tasks = []
    for fold in numbers:
        for variant in variants:
            config = read_run_config(variant.config, variant.overrides, variant.seed)
            paths = {
                "train": folds.train(fold, variant.documents, variant.tune_documents),
                "dev": folds.dev(fold),
                "test": folds.test(fold),
            }
            if variant.tune_documents:
                paths["tune"] = folds.tune(fold, variant.tune_documents)
            for found in (config.config, config.filled):
                found["paths"] = {name: str(path) for name, path in paths.items()}
                found["corpora"]["train"]["path"] = str(paths["train"])
                found["corpora"]["dev"]["path"] = str(paths["dev"])
                if found["training"]["max_steps"]:
                    found["training"]["eval_frequency"] = found["training"]["max_steps"]
            for path in paths.values():
                if path not in described:
                    described[path] = describe_data(path, config.spans_key)
            data = {name: described[path] for name, path in paths.items()}
            folder = output / variant.name / f"fold_{fold}"
            tasks.append(Task(variant, fold, folder, config, data))
    return tasks


def run_tasks(
    tasks: Sequence[Task], *, jobs: int, keep_models: bool, gpu_id: int, code: Path | None
) -> None:
    """Run tasks, several at a time, and print the errors. Complete ones are not repeated. See
    `is_complete` for errors.
    """
    waiting, commit = [task for task in tasks if not is_complete(task)], get_commit()
    running: dict[subprocess.Popen[bytes], Task] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                task = waiting.pop(0)
                msg.text(f"Training {task.title}")
                running[_start(task, keep_models, gpu_id, code)] = task
            for process in [process for process in running if process.poll() is not None]:
                task = running.pop(process)
                if process.returncode:
                    error = training_error(process.returncode, task.folder / LOG_FILE)
                    msg.fail(f"{task.title}: {error}")
                else:
                    seconds = _record(task, commit, gpu_id)
                    msg.good(f"{task.title}: {seconds['train']:.0f} seconds")
            time.sleep(_POLL_SECONDS if running else 0)
    finally:
        for process in running:
            process.terminate()
            process.wait()


def run_fold(folder: Path, *, keep_model: bool, gpu_id: int) -> None:
    """Train with the config in a folder, and write the predictions for its test data and the times
    to the same folder. Runs in the process of a task.
    """
    config = Config().from_disk(folder / CONFIG_FILE)
    paths = {name: Path(path) for name, path in config["paths"].items()}
    wall, cpu = default_timer(), time.process_time()
    train(folder / CONFIG_FILE, folder, use_gpu=gpu_id)
    seconds = {"train": default_timer() - wall, "train_cpu": time.process_time() - cpu}
    shutil.rmtree(folder / MODEL_BEST, ignore_errors=True)
    nlp, pipe = load_recognizer(folder / MODEL_LAST, gpu_id=gpu_id)
    if "tune" in paths:
        tune(nlp, load_docs(nlp, paths["tune"], pipe.key), spans_key=pipe.key)
        nlp.to_disk(folder / MODEL_LAST)
    wall, cpu = default_timer(), time.process_time()
    examples = list(predict_examples(nlp, load_docs(nlp, paths["test"], pipe.key)))
    seconds |= {"test": default_timer() - wall, "test_cpu": time.process_time() - cpu}
    write_docbin((example.predicted for example in examples), folder / PREDICTIONS_FILE)
    write_json(seconds, folder / SECONDS_FILE)
    if not keep_model:
        shutil.rmtree(folder / MODEL_LAST)


def is_complete(task: Task) -> bool:
    """RETURNS (bool): Whether a task has been run. Raises a GapDNERError if its folder contains a
    run with other settings or data.
    """
    path = task.folder / RUN_FILE
    if not path.exists():
        return False
    differences = list_differences(read_run(path), task.variant.name, task.config.filled, task.data)
    if differences:
        raise GapDNERError(
            f"{path} belongs to another run: {differences}. Use another name or OUTPUT, or delete "
            f"{task.folder} to train it again."
        )
    return True


def _start(
    task: Task, keep_models: bool, gpu_id: int, code: Path | None
) -> subprocess.Popen[bytes]:
    shutil.rmtree(task.folder, ignore_errors=True)
    task.folder.mkdir(parents=True)
    config = task.config.config.copy()
    config["training"]["logger"]["output_file"] = str(task.folder / EVALUATIONS_FILE)
    config.to_disk(task.folder / CONFIG_FILE)
    command = [sys.executable, "-m", "project.experiments", "run-fold", str(task.folder)]
    command += ["--gpu-id", str(gpu_id), *["--keep-models"] * keep_models]
    command += ["--code", str(code)] if code else []
    with (task.folder / LOG_FILE).open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def _record(task: Task, commit: str | None, gpu_id: int) -> dict[str, float]:
    evaluations, _ = read_evaluations(task.folder)
    path = task.folder / SECONDS_FILE
    seconds: dict[str, float] = json.loads(read_text(path))
    run = Run(
        name=task.variant.name,
        seed=task.variant.seed,
        config=task.config.filled,
        versions=get_versions(),
        commit=commit,
        device=get_device(gpu_id),
        data=task.data,
        evaluations=evaluations,
        selected=evaluations[-1],
        scores={},
        seconds=seconds,
    )
    write_run(run, task.folder / RUN_FILE)
    path.unlink()
    return seconds
