"""Measurements in processes of their own, as a process's peak of memory never sinks again."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import srsly
from spacy.tokens import Doc, DocBin

from ..errors import GapDNERError

# what a process can do
ENCODER_PREDICTS, PREDICTS = "encoder alone, prediction", "pipeline, prediction"
ENCODER_TRAINS, TRAINS = "encoder alone, training", "pipeline, training"
DOCUMENT, SENTENCE = "document", "sentence"
_N_LAST_LINES = 3


@dataclass(frozen=True)
class Setup:
    """A pipeline and how it computes.

    model (str): Folder of the pipeline, or name of an installed package.
    pipe (str): Name of the pipe in it.
    gpu_id (int): GPU to use; -1 for the CPU.
    n_threads (int): Threads of PyTorch.
    precision (Optional[str]): See `compute_settings`.
    encoder (Optional[str]): See `exchange_encoder`.
    random_size (Optional[str]): See `exchange_encoder`.
    cpu_time (bool): See `Runner`.
    """

    model: str
    pipe: str
    gpu_id: int = -1
    n_threads: int = 1
    precision: str | None = None
    encoder: str | None = None
    random_size: str | None = None
    cpu_time: bool = False


@dataclass(frozen=True)
class Job:
    """What a process is to do.

    setup (Setup): The pipeline.
    task (str): One of the tasks of this module.
    data (str): .spacy file with the texts.
    limit (int): Take so many sentences; all if 0.
    size (int): Sentences of a batch; of a document or long sentence its number of words.
    """

    setup: Setup
    task: str
    data: str
    limit: int
    size: int


@dataclass(frozen=True)
class Usage:
    """What a process took. Memory is in bytes.

    task (str): What it did.
    n_words (int): The words that it did it to.
    seconds (float): How long it took, without loading.
    imported (int): Resident set before the pipeline was loaded: Python and its packages.
    loading (int): Peak of it while the pipeline was loaded.
    loaded (int): Resident set after that.
    peak (int): Peak of it afterwards.
    gpu (Optional[int]): Peak of the GPU's memory; None on a CPU.
    """

    task: str
    n_words: int
    seconds: float
    imported: int
    loading: int
    loaded: int
    peak: int
    gpu: int | None

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The fields and what follows from them."""
        return {
            **asdict(self),
            "over_imported": self.peak - self.imported,
            "over_loaded": self.peak - self.loaded,
        }


def measure(setup: Setup, task: str, docs: Iterable[Doc], *, limit: int, size: int) -> Usage:
    """Do something in a new process and measure what it takes.

    setup (Setup): The pipeline.
    task (str): What to do.
    docs (Iterable[Doc]): Texts with gold entities; they are repeated where a document or a
        sentence of a length is asked for.
    limit (int): Take so many sentences; all if 0.
    size (int): Sentences of a batch; of a document or long sentence its number of words.
    RETURNS (Usage): What it took.
    RAISES (GapDNERError): If the process fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        data, job, result = (Path(folder) / name for name in ("data.spacy", "job", "result"))
        DocBin(docs=docs).to_disk(data)
        srsly.write_json(job, asdict(Job(setup, task, str(data), limit, size)))
        n_threads = str(setup.n_threads)
        process = subprocess.run(
            [sys.executable, "-m", "spacy_gapdner.benchmark.child", str(job), str(result)],
            capture_output=True,
            encoding="utf8",
            errors="replace",
            env={**os.environ, "OMP_NUM_THREADS": n_threads, "MKL_NUM_THREADS": n_threads},
        )
        if process.returncode or not result.exists():
            lines = process.stderr.strip().splitlines()[-_N_LAST_LINES:]
            # a kernel that runs out of memory says nothing
            told = " / ".join(lines) or "it was ended from outside, perhaps for want of memory."
            raise GapDNERError(
                f"The process for '{task}' ended with exit code {process.returncode}: {told}"
            )
        return Usage(**srsly.read_json(result))
