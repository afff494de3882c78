"""All measurements of a benchmark, and the tables of them."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from spacy.training import Example

from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

from ..environment import get_commit, get_device, get_versions
from ..tables import Table
from .data import load_pipeline, read_examples
from .memory import TASKS, Subject, measure_memory
from .parts import prediction_shares, training_shares
from .speed import Runner, time_batches, time_pipe


def run_benchmark(subject: Subject, *, repeats: int = 3, cpu_time: bool = False) -> dict[str, Any]:
    """Measure a pipeline.

    subject (Subject): The pipeline and its data.
    repeats (int): How often everything is computed; the least time counts.
    cpu_time (bool): Count the time that the process computes, not the time that passes.
    RETURNS (dict[str, Any]): What was measured, as JSON has it.
    RAISES (GapDNERError): If the pipeline or the data cannot be used, or a process fails.
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false" if subject.threads == 1 else "true"
    torch.set_num_threads(subject.threads)
    nlp, pipe = load_pipeline(subject.model, subject.gpu_id)
    examples = read_examples(nlp, pipe, Path(subject.data), subject.limit)
    runner = Runner(nlp, pipe, cpu_time=cpu_time)
    prediction = time_batches(runner, examples, repeats, is_train=False)
    # before the training, which leaves its gradients and a heap with gaps
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
    return {
        **asdict(subject),
        "cpu_time": cpu_time,
        "repeats": repeats,
        "versions": get_versions(),
        "commit": get_commit(),
        "device": get_device(subject.gpu_id),
        "docs": len(examples),
        "words": n_words,
        "speed": compare_to_encoder(seconds, n_words),
        "shares": _measure_shares(runner, examples),
        "memory": {task: measure_memory(subject, task) for task in TASKS},
    }


def _measure_shares(runner: Runner, examples: list[Example]) -> dict[str, dict[str, float]]:
    # the networks of spaCy's own pipes do not mark their parts
    if not isinstance(runner.pipe, DiscontinuousEntityRecognizer):
        return {}
    return {
        "nlp.pipe": prediction_shares(runner, examples),
        "training": training_shares(runner, examples),
    }


def compare_to_encoder(
    seconds: dict[str, dict[str, float]], n_words: int
) -> dict[str, dict[str, float]]:
    """Compare times with that of the encoder alone.

    seconds (dict[str, dict[str, float]]): By mode and by what was timed.
    n_words (int): The words that each took.
    RETURNS (dict[str, dict[str, float]]): Seconds, words per second and ratio to the encoder.
    """
    return {
        f"{mode}: {name}": {
            "seconds": of,
            "words_per_second": n_words / of,
            "ratio": of / times["encoder alone"],
        }
        for mode, times in seconds.items()
        for name, of in times.items()
    }


def make_tables(found: Sequence[dict[str, Any]]) -> list[Table]:
    """RETURNS (list[Table]): The tables of what `run_benchmark` returned for each pipeline."""
    clock = "CPU time" if found[0]["cpu_time"] else "time"
    n_threads = found[0]["threads"]
    title = f"Speed, {clock}, {n_threads} thread{'s' * (n_threads > 1)}"
    tables = [
        Table(title, ["", "Words/s", "Seconds", "x encoder"], []),
        Table("Share of the time (%)", ["", "nlp.pipe", "Training"], []),
        Table("Peak memory (MB)", ["", "Loading", "Then", "GPU"], []),
    ]
    for of in found:
        for table, rows in zip(tables, _make_rows(of), strict=True):
            if rows:
                table.rows.append([of["model"], *[""] * (len(table.header) - 1)])
                table.rows.extend(rows)
    return tables


def _make_rows(found: dict[str, Any]) -> Iterator[list[list[str]]]:
    # of each table
    yield [
        [name, f"{of['words_per_second']:,.0f}", f"{of['seconds']:.2f}", f"{of['ratio']:.2f}"]
        for name, of in found["speed"].items()
    ]
    shares = found["shares"].values()
    yield [
        [part, *(f"{100 * of[part]:.1f}" if part in of else "-" for of in shares)]
        for part in dict.fromkeys(part for of in shares for part in of)
    ]
    yield [
        [task, *("-" if size is None else f"{size / 1e6:,.0f}" for size in memory.values())]
        for task, memory in found["memory"].items()
    ]
