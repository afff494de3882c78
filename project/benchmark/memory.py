"""Peak memory, of a process for each thing measured, as the peak of a process never sinks again."""

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
    """What is measured.

    model (str): Folder of the pipeline, or name of an installed package.
    data (str): A .spacy file, or a folder of such files.
    limit (int): Take so many Docs; all if 0.
    threads (int): Threads of PyTorch.
    gpu_id (int): GPU to use; -1 for the CPU.
    code (Optional[str]): Python file with functions that the pipeline needs.
    """

    model: str
    data: str
    limit: int
    threads: int
    gpu_id: int
    code: str | None = None


def measure_memory(subject: Subject, task: str) -> dict[str, int | None]:
    """Load a pipeline in a new process, let it work, and measure the memory that it takes.

    subject (Subject): The pipeline and its data.
    task (str): "prediction" for `nlp.pipe` on all texts, "training" for steps on all Docs.
    RETURNS (dict[str, Optional[int]]): Bytes at most: of the process while it loads the pipeline,
        of the process afterwards (None where the system is not Linux), and of the GPU by PyTorch
        (None on a CPU).
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(_work, subject, task).result()


def _peak_memory() -> int | None:
    # not ru_maxrss, which begins with what the process that started this one took
    if not _STATUS.exists():
        return None
    lines = _STATUS.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _work(subject: Subject, task: str) -> dict[str, int | None]:
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
        # as in training; batches of like length would need less
        random.Random(0).shuffle(examples)
        for batch in minibatch(examples, TRAINING_BATCH):
            runner.update(list(batch))
            runner.finish_update()
    gpu = torch.cuda.max_memory_allocated() if torch.cuda.is_initialized() else None
    return {"loading": loading, "peak": _peak_memory(), "gpu": gpu}
