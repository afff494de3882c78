"""Peak memory, measured in a new process for each task."""

import random
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import torch
from spacy.util import minibatch

from spacy_gapdner.cli._util import import_code

from .data import load_pipeline, read_examples
from .speed import TRAINING_BATCH, Runner

TASKS = ("prediction", "training")
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Subject:
    """A pipeline and the data to measure it on. A limit of 0 means all Docs."""

    model: str
    data: str
    limit: int
    threads: int
    gpu_id: int
    code: str | None = None


def measure_memory(subject: Subject, task: str) -> dict[str, int | None]:
    """Run `nlp.pipe` ("prediction") or updates ("training") in a new process, and measure its peak
    memory in bytes.

    Resident memory is measured on Linux, while the pipeline is loaded and run; `gpu` is PyTorch's
    memory on the GPU. Unknown values are None.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(_run, subject, task).result()


def _peak_memory() -> int | None:
    # ru_maxrss would include the memory of the parent process
    if not _STATUS.exists():
        return None
    lines = _STATUS.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _run(subject: Subject, task: str) -> dict[str, int | None]:
    torch.set_num_threads(subject.threads)
    import_code(Path(subject.code) if subject.code else None)
    nlp, pipe = load_pipeline(subject.model, subject.gpu_id)
    loading = _peak_memory()
    examples = read_examples(nlp, pipe, Path(subject.data), subject.limit)
    with suppress(OSError):
        _CLEAR.write_text("5")
    if task == "prediction":
        for _ in nlp.pipe([example.text for example in examples]):
            pass
    else:
        runner = Runner(nlp, pipe)
        # as in training: batches of similar length would need less memory
        random.Random(0).shuffle(examples)
        for batch in minibatch(examples, TRAINING_BATCH):
            runner.update(list(batch))
            runner.finish_update()
    gpu = torch.cuda.max_memory_allocated() if torch.cuda.is_initialized() else None
    return {"loading": loading, "peak": _peak_memory(), "gpu": gpu}
