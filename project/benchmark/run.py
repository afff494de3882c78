"""All measurements of a benchmark, and the tables of them."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from spacy_gapdner.analysis.pipes import load_pipeline

from ..environment import get_commit, get_device, get_versions
from ..tables import Table
from .data import read_examples
from .memory import TASKS, Subject, measure_memory
from .parts import prediction_shares, training_shares
from .speed import Runner, time_batches, time_pipe

_MB = 1e6


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
    nlp, pipe = load_pipeline(subject.model, gpu_id=subject.gpu_id)
    examples = read_examples(nlp, pipe, Path(subject.data), subject.limit)
    runner = Runner(nlp, pipe, cpu_time=cpu_time)
    prediction = time_batches(runner, examples, repeats, is_train=False)
    training = time_batches(runner, examples, repeats, is_train=True)
    seconds = {
        "prediction: encoder alone": prediction["encoder"],
        "prediction: model": prediction["model"],
        "prediction: nlp.pipe": time_pipe(runner, examples, repeats),
        "training: encoder alone": training["encoder"],
        "training: model": training["model"],
        "training: model and optimizer": training["model"] + training["optimizer"],
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
        "shares": {
            "nlp.pipe": prediction_shares(runner, examples),
            "training": training_shares(runner, examples),
        },
        "memory": {task: measure_memory(subject, task) for task in TASKS},
    }


def compare_to_encoder(seconds: dict[str, float], n_words: int) -> dict[str, dict[str, float]]:
    """Compare times with that of the encoder alone.

    seconds (dict[str, float]): By "mode: what was timed"; the encoder's comes before the others of
        its mode.
    n_words (int): The words that each took.
    RETURNS (dict[str, dict[str, float]]): Seconds, words per second and ratio to the encoder.
    """
    encoder = 0.0
    found = {}
    for name, of in seconds.items():
        encoder = of if name.endswith("encoder alone") else encoder
        found[name] = {"seconds": of, "words_per_second": n_words / of, "ratio": of / encoder}
    return found


def make_tables(found: Sequence[dict[str, Any]]) -> Iterator[Table]:
    """Make the tables of what was measured.

    found (Sequence[dict[str, Any]]): What `run_benchmark` returns for each pipeline.
    YIELDS (Table): The tables.
    """
    first = found[0]
    clock = "CPU time" if first["cpu_time"] else "time"
    title = f"Speed, {clock}, {first['threads']} thread{'s' * (first['threads'] > 1)}"
    header = ["Words/s", "Seconds", "x encoder"]
    yield _make_table(title, header, found, _speed_rows)
    header = ["nlp.pipe", "Training"]
    yield _make_table("Share of the time (%)", header, found, _share_rows)
    header = ["Loading", "Then", "GPU"]
    yield _make_table("Peak memory (MB)", header, found, _memory_rows)


def _make_table(
    title: str,
    header: list[str],
    found: Sequence[dict[str, Any]],
    make_rows: Callable[[dict[str, Any]], list[list[str]]],
) -> Table:
    rows = []
    for of in found:
        rows += [[of["model"], *[""] * len(header)], *make_rows(of)]
    return Table(title, ["", *header], rows)


def _speed_rows(found: dict[str, Any]) -> list[list[str]]:
    return [
        [name, f"{of['words_per_second']:,.0f}", f"{of['seconds']:.2f}", f"{of['ratio']:.2f}"]
        for name, of in found["speed"].items()
    ]


def _share_rows(found: dict[str, Any]) -> list[list[str]]:
    shares = found["shares"].values()
    return [
        [part, *(f"{100 * of[part]:.1f}" if part in of else "-" for of in shares)]
        for part in dict.fromkeys(part for of in shares for part in of)
    ]


def _memory_rows(found: dict[str, Any]) -> list[list[str]]:
    return [
        [task, *("-" if size is None else f"{size / _MB:,.0f}" for size in memory.values())]
        for task, memory in found["memory"].items()
    ]
