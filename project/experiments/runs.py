"""Store records of training runs in `run.json`."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spacy.vocab import Vocab

from spacy_gapdner import get_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.docbin import read_docbin
from spacy_gapdner.formats.files import read_text, visible_files
from spacy_gapdner.formats.outputs import replacing

from ..docbins import require_docbins

RUN_FILE = "run.json"
DATA_PATHS = {f"paths.{part}" for part in ("train", "dev", "test", "tune")} | {
    "corpora.train.path",
    "corpora.dev.path",
}


@dataclass(frozen=True)
class Run:
    """A training run with one seed, and the scores of its best model.

    name (str): The name of all runs that differ only in the seed, e.g. "w/o BiLSTM".
    config (dict[str, Any]): The config, with overrides, defaults and interpolated variables.
    data (dict[str, list[dict[str, Any]]]): The files of "train", "dev" and "test": `name`, number
        of `docs` and `entities`, `sha256`.
    evaluations (list[dict[str, Any]]): The evaluations during training: `step`, `epoch`, `score`
        and `losses`. That of the best model is `selected`.
    scores (dict[str, dict[str, Any]]): The scores of the best model on "dev" and "test", as
        returned by `evaluate`.
    seconds (dict[str, float]): Wall time of "train" and of the evaluations on "dev" and "test".
    """

    name: str
    seed: int
    config: dict[str, Any]
    versions: dict[str, str | None]
    commit: str | None
    device: dict[str, Any]
    data: dict[str, list[dict[str, Any]]]
    evaluations: list[dict[str, Any]]
    selected: dict[str, Any]
    scores: dict[str, dict[str, Any]]
    seconds: dict[str, float]
    kind: str = "spacy-gapdner run 1"

    def score(self, part: str, suffix: str = "", measure: str = "f") -> float | None:
        """A score on "dev" or "test", by the suffix of its subset. None if there were no entities
        to score, or no evaluation on this part."""
        scores = self.scores.get(part)
        return None if scores is None else scores[f"spans_{scores['spans_key']}{suffix}_{measure}"]

    def gap_length_scores(self, part: str) -> dict[str, dict[str, float]]:
        """The scores of discontinuous entities on "dev" or "test" by gap length, or an empty
        dict."""
        scores = self.scores.get(part, {})
        return scores.get(f"spans_{scores.get('spans_key')}_gap_lengths") or {}


def write_run(run: Run, path: Path) -> None:
    """Write a run atomically. Missing folders are created."""
    with replacing(path) as temporary:
        # srsly would round numbers to ten decimals
        text = json.dumps(asdict(run), indent=2, ensure_ascii=False)
        temporary.write_text(f"{text}\n", encoding="utf8")


def read_run(path: Path) -> Run:
    """Read a run. Raises a GapDNERError if the file is missing or invalid."""
    text = read_text(path)
    try:
        return Run(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise GapDNERError(
            f"{path} is not a record of a run ({error}). Delete its folder and train again."
        ) from error


def find_runs(folders: Iterable[Path]) -> dict[Path, Run]:
    """Read all runs in folders and their subfolders, by folder and in the order of their paths."""
    runs = {}
    for folder in folders:
        if not folder.is_dir():
            raise GapDNERError(f"Folder not found: {folder}. Check the path.")
        paths = [path for path in visible_files(folder, (RUN_FILE,)) if path.name == RUN_FILE]
        if not paths:
            raise GapDNERError(f"{folder} contains no {RUN_FILE}. Create it with train-seeds.")
        runs |= {path.parent: read_run(path) for path in paths}
    return runs


def flatten(config: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The settings of a config by dotted name, e.g. {"training.max_steps": 100}."""
    flat: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, dict) and value:
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def describe_data(path: Path, key: str) -> list[dict[str, Any]]:
    """RETURNS (list[dict[str, Any]]): The files of a path, in the form of `Run.data`."""
    files = []
    for file in require_docbins(path):
        counts = [len(get_entities(doc, key)) for doc in read_docbin(file, Vocab())]
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        found = {"docs": len(counts), "entities": sum(counts), "sha256": sha256}
        files.append({"name": file.name, **found})
    return files
