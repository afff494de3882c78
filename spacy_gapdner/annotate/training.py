"""Training in a background process, which exits with the server."""

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
    """The state of training.

    state (str): "none" if training has not started or is finished, "running" or "failed".
    texts (int): Number of training texts.
    message (str): The result or the error.
    """

    state: Literal["none", "running", "failed"] = "none"
    texts: int = 0
    message: str = ""


class Trainer:
    """Trains a pipeline on texts that are done, and uses the new pipeline if it is not worse.

    model (str): Folder or name of the pipeline that training always starts from.
    folder (Path): Folder for the new pipeline (`model`) and `training.log`.
    swap (Callable[[str], None]): Called with the folder of the new pipeline.
    spans_key (Optional[str]): The `spans_key` of the pipe, if the pipeline has several.
    gpu_id (int): The GPU to use, or -1 for the CPU.
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
        """Start training.

        stems (Sequence[tuple[str, Path]]): The ids and files of the texts, without file extension.
        RAISES (GapDNERError): If there are no texts, or training is running.
        """
        if self.training.state == "running":
            raise GapDNERError("Training is already running. Wait until it is finished.")
        if not stems:
            raise GapDNERError("No text is done. Mark some texts as done first.")
        self.training = Training("running", len(stems))
        job = {**self._job, "stems": [(name, str(stem)) for name, stem in stems]}
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            with self._log.open("wb") as log:
                # the process exits when its standard input is closed, even if this one is killed
                process = subprocess.Popen(
                    [sys.executable, "-m", "spacy_gapdner.annotate.learning"],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    text=True,
                )
        # for example a full disk; the annotation is already saved
        except OSError as error:
            self._fail(error)
            return
        args = (process, json.dumps(job))
        threading.Thread(target=self._wait, args=args, daemon=True).start()

    def _wait(self, process: "subprocess.Popen[str]", job: str) -> None:
        assert process.stdin is not None
        try:
            # if the process has exited, the log contains the reason
            with suppress(OSError):
                process.stdin.write(f"{job}\n")
                process.stdin.flush()
            status = process.wait()
            lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
            said = next((line for line in reversed(lines) if line.strip()), "")
            if status not in (0, STAYS):
                raise GapDNERError(said or f"The training process exited with status {status}.")
            if status == 0:
                self.swap(self._job["output"])
                self._job["before"] = self._job["output"]
            self.training = Training("none", self.training.texts, said)
        # including a new pipeline that cannot be loaded
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        message = shorten(visible(str(error)), 300)
        self.training = Training("failed", self.training.texts, message)
