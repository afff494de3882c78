"""Run all measurements of the benchmark, and make their tables."""

import gc
import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch
from spacy.language import Language
from spacy.training import Example

from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

from ..environment import get_commit, get_device, get_versions
from .data import load_pipeline, read_examples, shuffle_batches
from .memory import Subject, measure_gpu_memory, measure_memory
from .parts import prediction_parts, training_parts
from .speed import TRAINING_BATCH, Runner, time_batches, time_pipe, time_updates
from .utilization import measure_busy_time

PIPE, UPDATE = "prediction: nlp.pipe", "training: nlp.update"


def run_benchmark(
    subject: Subject,
    *,
    repeats: int = 3,
    cpu_time: bool = False,
    train_batches: Sequence[int] = (TRAINING_BATCH,),
    pipe_batches: Sequence[int | None] = (None,),
) -> dict[str, Any]:
    """Measure a pipeline. The shortest time of the repetitions counts. The results can be written
    as JSON.

    train_batches, pipe_batches (Sequence): The batch sizes of `nlp.update` and `nlp.pipe`. None for
        `nlp.batch_size`.
    """
    nlp, pipe = _load(subject)
    runner = Runner(nlp, pipe, cpu_time=cpu_time)
    examples = read_examples(nlp, pipe, Path(subject.data), subject.limit)
    n_words = sum(len(example.predicted) for example in examples)
    on_gpu = torch.cuda.is_initialized()
    loading = torch.cuda.memory_allocated() if on_gpu else None
    # prediction first, because training leaves gradients and a fragmented heap
    rows = _measure_prediction(runner, examples, repeats, pipe_batches)
    rows |= _measure_training(runner, examples, repeats, train_batches)
    for name, row in rows.items():
        row["words_per_second"] = n_words / row["seconds"]
        row["ratio"] = row["seconds"] / rows[f"{name.split(':')[0]}: encoder alone"]["seconds"]
    parts = {}
    # the parts of spaCy's pipes are not known
    if isinstance(pipe, DiscontinuousEntityRecognizer):
        parts["nlp.pipe"] = prediction_parts(runner, examples, repeats)
        parts["training"] = training_parts(runner, examples, repeats)
    if on_gpu:
        memory = {n: {"loading": loading, "peak": row["gpu_peak"]} for n, row in rows.items()}
        memory = {name: sizes for name, sizes in memory.items() if sizes["peak"]}
    else:
        sizes = {PIPE: None, **{_name(UPDATE, size): size for size in train_batches}}
        memory = {name: measure_memory(subject, size) for name, size in sizes.items()}
    found = _describe(subject, examples, repeats, cpu_time)
    return {**found, "speed": rows, "parts": parts, "memory": memory}


def _measure_prediction(
    runner: Runner, examples: list[Example], repeats: int, batch_sizes: Sequence[int | None]
) -> dict[str, dict[str, Any]]:
    alone = time_batches(runner, examples, repeats, is_train=False)
    rows = {
        "prediction: encoder alone": _make_row(alone["encoder"]),
        "prediction: model": _make_row(alone["model"]),
    }
    for size in batch_sizes:
        time = partial(time_pipe, runner, examples, repeats, size)
        seconds, peak = measure_gpu_memory(time)
        busy = measure_busy_time(partial(runner.run_pipe, examples, size))
        rows[_name(PIPE, size)] = _make_row(seconds, busy=busy, gpu_peak=peak)
    return rows


def _measure_training(
    runner: Runner, examples: list[Example], repeats: int, batch_sizes: Sequence[int]
) -> dict[str, dict[str, Any]]:
    alone = time_batches(runner, examples, repeats, is_train=True)
    rows = {
        "training: encoder alone": _make_row(alone["encoder"]),
        "training: model": _make_row(alone["model"]),
        "training: model and optimizer": _make_row(alone["model"] + alone["optimizer"]),
    }
    for size in batch_sizes:
        time = partial(time_updates, runner, examples, repeats, size)
        seconds, peak = measure_gpu_memory(time)
        busy = measure_busy_time(partial(_train, runner, examples, size))
        rows[_name(UPDATE, size)] = _make_row(
            sum(seconds), n_batches=len(seconds), busy=busy, gpu_peak=peak
        )
    return rows


def _make_row(
    seconds: float,
    *,
    n_batches: int | None = None,
    busy: float | None = None,
    gpu_peak: int | None = None,
) -> dict[str, Any]:
    return {
        "seconds": seconds,
        "seconds_per_batch": n_batches and seconds / n_batches,
        "utilization": busy and busy / seconds,
        "gpu_peak": gpu_peak,
    }


def measure_overhead(subject: Subject, *, repeats: int = 3, cpu_time: bool) -> dict[str, Any]:
    """Measure training steps and `nlp.pipe` only. See `run_benchmark`."""
    nlp, pipe = _load(subject)
    runner = Runner(nlp, pipe, cpu_time=cpu_time)
    examples = read_examples(nlp, pipe, Path(subject.data), subject.limit)
    n_words = sum(len(example.predicted) for example in examples)
    predicted = time_pipe(runner, examples, repeats)
    trained = time_updates(runner, examples, repeats)
    return {
        **_describe(subject, examples, repeats, cpu_time),
        "seconds_per_batch": sum(trained) / len(trained),
        "training_words_per_second": n_words / sum(trained),
        "prediction_words_per_second": n_words / predicted,
    }


def _load(subject: Subject) -> tuple[Language, Any]:
    os.environ["TOKENIZERS_PARALLELISM"] = "false" if subject.threads == 1 else "true"
    torch.set_num_threads(subject.threads)
    # the memory of other pipelines
    gc.collect()
    return load_pipeline(subject.model, subject.gpu_id)


def _describe(
    subject: Subject, examples: Sequence[Example], repeats: int, cpu_time: bool
) -> dict[str, Any]:
    return {
        **asdict(subject),
        "cpu_time": cpu_time,
        "repeats": repeats,
        "versions": get_versions(),
        "commit": get_commit(),
        "device": get_device(subject.gpu_id),
        "docs": len(examples),
        "words": sum(len(example.predicted) for example in examples),
    }


def _name(row: str, batch_size: int | None = None) -> str:
    return row if batch_size is None else f"{row}, {batch_size} a batch"


def _train(runner: Runner, examples: list[Example], batch_size: int) -> None:
    for batch in shuffle_batches(examples, batch_size):
        runner.train(batch)
