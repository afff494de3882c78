"""Train in a background process, which exits with the server."""

import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from ...errors import GapDNERError, shorten, visible
from ...formats import Report
from ...formats.brat import read_document
from ...formats.outputs import with_ending
from .learning import EXIT_UNCHANGED, HELD_OUT_ONE_IN, is_held_out

# state: "none" if training has not started or is finished, "running" or "failed"
NO_TRAINING = {"state": "none", "texts": 0, "message": ""}
# minimum number of held-out texts with entities to compare two pipelines
MIN_COMPARED = 20


class Trainer:
    """Trains `model` on finished texts, and calls `swap` with the folder of the new pipeline
    if it is not worse. The folder contains the new pipeline (`model`), the old one
    (`previous-model`) and `training.log`. See `learn` for `spans_key` and `data`, and the options
    of the command for `gpu_id` and `code`."""

    def __init__(
        self,
        model: str,
        folder: Path,
        swap: Callable[[str], None],
        spans_key: str | None = None,
        data: Path | None = None,
        gpu_id: int = -1,
        code: Path | None = None,
    ) -> None:
        self.swap = swap
        # the pipeline before the last training
        self.previous: str | None = None
        self._folder = folder = folder.resolve()
        self._model, self._replaced = folder / "model", folder / "previous-model"
        self.training: dict[str, Any] = NO_TRAINING
        start = str(Path(model).resolve()) if Path(model).exists() else model
        # the arguments of `learn`
        self._job: dict[str, Any] = {
            "model": start,
            "before": start,
            "output": str(folder / "new-model"),
            "spans_key": spans_key,
            "data": data,
            "gpu_id": gpu_id,
            "code": code,
        }

    @property
    def is_running(self) -> bool:
        """Whether training is running."""
        return bool(self.training["state"] == "running")

    def requirement(self, stems: Iterable[tuple[str, Path]]) -> str:
        """What training needs in addition to these texts, or an empty string."""
        compared = (stem for name, stem in stems if is_held_out(name) and _has_entities(stem))
        n_compared = sum(1 for _ in islice(compared, MIN_COMPARED))
        if n_compared == MIN_COMPARED:
            return ""
        return (
            f"Training needs {MIN_COMPARED} finished texts with entities that are held out to "
            f"compare the new model with the current one. {n_compared} of them are finished. One "
            f"text in {HELD_OUT_ONE_IN} is held out."
        )

    def start(self, stems: Sequence[tuple[str, Path]]) -> None:
        """Start training on the ids and files of texts, without file extension."""
        if self.is_running:
            raise GapDNERError("Training is already running. Wait until it is finished.")
        if requirement := self.requirement(stems):
            raise GapDNERError(requirement)
        self.training = {"state": "running", "texts": len(stems), "message": ""}
        job = json.dumps({**self._job, "stems": stems}, default=str)
        threading.Thread(target=self._train, args=(job,), daemon=True).start()

    def go_back(self) -> None:
        """Use the pipeline before the last training again."""
        if self.previous is None or self.is_running:
            raise GapDNERError("There is no previous model, or training is running.")
        self.swap(self.previous)
        shutil.rmtree(self._model)
        if self._replaced.exists():
            self._replaced.rename(self._model)
        if self.previous == str(self._replaced):
            self.previous = str(self._model)
        self._job["before"], self.previous = self.previous, None
        self.training = {**NO_TRAINING, "message": "The previous model is used again."}

    def _train(self, job: str) -> None:
        try:
            status, message = self._run(job)
            if status == 0:
                self._use_new()
            elif status != EXIT_UNCHANGED:
                raise GapDNERError(message or f"The training process exited with status {status}.")
            self.training = {**self.training, "state": "none", "message": message}
        # for example a full disk, or a new pipeline that cannot be loaded
        except Exception as error:
            message = shorten(visible(str(error)), 300)
            self.training = {**self.training, "state": "failed", "message": message}

    def _use_new(self) -> None:
        self.swap(self._job["output"])
        self.previous = self._job["before"]
        # also if it is from an earlier session
        if self._model.exists():
            shutil.rmtree(self._replaced, ignore_errors=True)
            self._model.rename(self._replaced)
        if self.previous == str(self._model):
            self.previous = str(self._replaced)
        self._job["before"] = str(Path(self._job["output"]).rename(self._model))

    def _run(self, job: str) -> tuple[int, str]:
        # the exit code and the last line of the log
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "spacy_gapdner.apps.annotate.learning"]
        path = self._folder / "training.log"
        with path.open("w+", encoding="utf-8", errors="replace") as log:
            process = Popen(command, stdin=PIPE, stdout=log, stderr=log, text=True)
            assert process.stdin is not None
            # if the process has exited, the log contains the reason
            with suppress(OSError):
                process.stdin.write(f"{job}\n")
                process.stdin.flush()
            # the process exits when its input is closed, even if the server is killed
            status = process.wait()
            log.seek(0)
            return status, log.read().strip().rpartition("\n")[2]


def _has_entities(stem: Path) -> bool:
    # the page asks every few seconds; a file that is invalid or gone has no entities
    with suppress(OSError, GapDNERError):
        return _contains_entities(stem, with_ending(stem, ".ann").stat().st_mtime_ns)
    return False


@cache
def _contains_entities(stem: Path, time: int) -> bool:
    return bool(read_document(stem, stem.name, Report()).entities)
