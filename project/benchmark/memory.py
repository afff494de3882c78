"""Measure the peak memory of tasks, each in a new process, and of a GPU."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import torch

from spacy_gapdner.cli._util import import_code

from .data import load_pipeline, read_examples, shuffle_batches
from .speed import Runner

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
T = TypeVar("T")


@dataclass(frozen=True)
class Subject:
    """A pipeline and the data to measure it on. A limit of 0 means all Docs."""

    model: str
    data: str
    limit: int
    threads: int
    gpu_id: int
    code: str | None = None


def measure_memory(subject: Subject, batch_size: int | None = None) -> dict[str, int | None]:
    """Run training steps with this batch size, or `nlp.pipe` without one, in a new process.

    RETURNS (dict[str, Optional[int]]): The peak resident memory in bytes, while the pipeline is
        loaded and while it runs. None if the system is not Linux.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(_run, subject, batch_size).result()


def measure_gpu_memory(run: Callable[[], T]) -> tuple[T, int | None]:
    """RETURNS (tuple[T, Optional[int]]): The result of a function, and PyTorch's peak memory on the
    GPU in bytes, which includes the pipeline. None if no GPU is used.
    """
    if not torch.cuda.is_initialized():
        return run(), None
    torch.cuda.reset_peak_memory_stats()
    return run(), torch.cuda.max_memory_allocated()


def _peak_memory() -> int | None:
    # ru_maxrss would include the memory of the parent process
    if not _STATUS.exists():
        return None
    lines = _STATUS.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _run(subject: Subject, batch_size: int | None) -> dict[str, int | None]:
    torch.set_num_threads(subject.threads)
    import_code(Path(subject.code) if subject.code else None)
    nlp, pipe = load_pipeline(subject.model, subject.gpu_id)
    loading = _peak_memory()
    runner = Runner(nlp, pipe)
    examples = read_examples(nlp, pipe, Path(subject.data), subject.limit)
    with suppress(OSError):
        _CLEAR.write_text("5")
    if batch_size is None:
        runner.run_pipe(examples)
    else:
        for batch in shuffle_batches(examples, batch_size):
            runner.train(batch)
    return {"loading": loading, "peak": _peak_memory()}
