"""Trainings in the background: one process at a time, which ends with the server."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import GapDNERError, shorten, visible
from .learning import STAYS


@dataclass(frozen=True)
class Training:
    """How a training is going.

    state (str): "none" where there is none, or it is over; "running", or "failed".
    texts (int): How many texts it learns from, or has learned from.
    message (str): What became of it.
    """

    state: Literal["none", "running", "failed"] = "none"
    texts: int = 0
    message: str = ""


class Trainer:
    """Trains a pipeline further from texts that are done, and takes it if it is not worse.

    model (str): Folder or name of the pipeline that each training starts from.
    folder (Path): Where the new one goes, as `model`, with `training.log`.
    swap (Callable[[str], None]): Takes the folder of a new pipeline.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    gpu_id (int): GPU to use; -1 for the CPU.
    code (Optional[Path]): Python file to import first.
    """

    def __init__(
        self,
        model: str,
        folder: Path,
        swap: Callable[[str], None],
        *,
        spans_key: str | None = None,
        gpu_id: int = -1,
        code: Path | None = None,
    ) -> None:
        self.swap = swap
        self._log = folder / "training.log"
        self.training = Training()
        start = str(Path(model).absolute()) if Path(model).exists() else model
        self._job: dict[str, Any] = {
            "model": start,
            "before": start,
            "output": str(folder / "model"),
            "spans_key": spans_key,
            "gpu_id": gpu_id,
            "code": str(code.absolute()) if code else None,
        }

    def start(self, stems: Sequence[tuple[str, Path]]) -> None:
        """Begin a training.

        stems (Sequence[tuple[str, Path]]): The texts: their ids, and their files without ending.
        RAISES (GapDNERError): If there are none, or one is running.
        """
        if self.training.state == "running":
            raise GapDNERError("A training is running. Wait until it is over.")
        if not stems:
            raise GapDNERError("No text is done. Mark some as done first.")
        self.training = Training("running", len(stems))
        job = {**self._job, "stems": [(name, str(stem)) for name, stem in stems]}
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            with self._log.open("wb") as log:
                # the process ends when its standard input is closed, however this one ends
                process = subprocess.Popen(
                    [sys.executable, "-m", "spacy_gapdner.annotate.learning"],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    text=True,
                )
        # a full disk, or no memory: what is annotated is saved all the same
        except OSError as error:
            self._fail(error)
            return
        args = (process, json.dumps(job))
        threading.Thread(target=self._wait, args=args, daemon=True).start()

    def _wait(self, process: "subprocess.Popen[str]", job: str) -> None:
        assert process.stdin is not None
        try:
            # its log says why a process has ended before
            with suppress(OSError):
                process.stdin.write(f"{job}\n")
                process.stdin.flush()
            status = process.wait()
            lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
            said = next((line for line in reversed(lines) if line.strip()), "")
            if status not in (0, STAYS):
                raise GapDNERError(said or f"The training was ended (status {status}).")
            if status == 0:
                self.swap(self._job["output"])
                self._job["before"] = self._job["output"]
            self.training = Training("none", self.training.texts, said)
        # a new pipeline that cannot be loaded harms nothing either
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        message = shorten(visible(str(error)), 300)
        self.training = Training("failed", self.training.texts, message)
