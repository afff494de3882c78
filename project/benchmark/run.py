"""All measurements of the benchmark, and their tables."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

from ..environment import get_commit, get_device, get_versions
from ..tables import Table
from .data import load_pipeline, read_examples
from .memory import TASKS, Subject, measure_memory
from .parts import prediction_shares, training_shares
from .speed import Runner, time_batches, time_pipe


def run_benchmark(subject: Subject, *, repeats: int = 3, cpu_time: bool = False) -> dict[str, Any]:
    """Measure a pipeline. The shortest time of the repetitions counts. The results can be written
    as JSON."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false" if subject.threads == 1 else "true"
    torch.set_num_threads(subject.threads)
    nlp, pipe = load_pipeline(subject.model, subject.gpu_id)
    examples = read_examples(nlp, pipe, Path(subject.data), subject.limit)
    runner = Runner(nlp, pipe, cpu_time=cpu_time)
    prediction = time_batches(runner, examples, repeats, is_train=False)
    # before training, which leaves gradients and a fragmented heap
    pipe_seconds = time_pipe(runner, examples, repeats)
    training = time_batches(runner, examples, repeats, is_train=True)
    seconds = {
        "prediction": {
            "encoder alone": prediction["encoder"],
            "model": prediction["model"],
            "nlp.pipe": pipe_seconds,
        },
        "training": {
            "encoder alone": training["encoder"],
            "model": training["model"],
            "model and optimizer": training["model"] + training["optimizer"],
        },
    }
    n_words = sum(len(example.predicted) for example in examples)
    speed = {
        f"{mode}: {name}": {
            "seconds": time,
            "words_per_second": n_words / time,
            "ratio": time / times["encoder alone"],
        }
        for mode, times in seconds.items()
        for name, time in times.items()
    }
    shares = {}
    # the networks of spaCy's pipes do not mark their parts for the profiler
    if isinstance(pipe, DiscontinuousEntityRecognizer):
        shares["nlp.pipe"] = prediction_shares(runner, examples)
        shares["training"] = training_shares(runner, examples)
    return {
        **asdict(subject),
        "cpu_time": cpu_time,
        "repeats": repeats,
        "versions": get_versions(),
        "commit": get_commit(),
        "device": get_device(subject.gpu_id),
        "docs": len(examples),
        "words": n_words,
        "speed": speed,
        "shares": shares,
        "memory": {task: measure_memory(subject, task) for task in TASKS},
    }


def make_tables(found: Sequence[dict[str, Any]]) -> list[Table]:
    """RETURNS (list[Table]): The tables of the results of `run_benchmark` for each pipeline."""
    clock = "CPU time" if found[0]["cpu_time"] else "time"
    n_threads = found[0]["threads"]
    title = f"Speed, {clock}, {n_threads} thread{'s' * (n_threads > 1)}"
    speed = Table(title, ["", "Words/s", "Seconds", "x encoder"], [])
    shares = Table("Share of the time (%)", ["", "nlp.pipe", "Training"], [])
    memory = Table("Peak memory (MB)", ["", "Loading", "Running", "GPU"], [])
    for result in found:
        name = result["model"]
        speed.rows.append([name, "", "", ""])
        for row, of in result["speed"].items():
            cells = (f"{of['words_per_second']:,.0f}", f"{of['seconds']:.2f}", f"{of['ratio']:.2f}")
            speed.rows.append([row, *cells])
        columns = result["shares"].values()
        if columns:
            shares.rows.append([name, "", ""])
        for part in dict.fromkeys(part for of in columns for part in of):
            cells = (f"{100 * of[part]:.1f}" if part in of else "-" for of in columns)
            shares.rows.append([part, *cells])
        memory.rows.append([name, "", "", ""])
        for task, sizes in result["memory"].items():
            cells = ("-" if size is None else f"{size / 1e6:,.0f}" for size in sizes.values())
            memory.rows.append([task, *cells])
    return [speed, shares, memory]
