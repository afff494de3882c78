"""The record of one training: what tables of results are made of."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_text, visible_files
from spacy_gapdner.formats.outputs import replacing

RUN_FILE = "run.json"
DATA_PATHS = {"paths.train", "paths.dev", "corpora.train.path", "corpora.dev.path"}


@dataclass(frozen=True)
class Run:
    """A training with one seed, and the scores of the model chosen by the development data.

    name (str): What the runs that differ in the seed alone have in common, e.g. "w/o BiLSTM".
    seed (int): The seed.
    config (dict[str, Any]): The config as used: overrides and defaults filled in, variables
        replaced.
    versions (dict[str, Optional[str]]): Versions of Python and of the packages; None for what is
        not installed.
    commit (Optional[str]): The git commit of the clone; None if there was none.
    device (dict[str, Any]): What it was computed on.
    data (dict[str, list[dict[str, Any]]]): Files by part, "train", "dev", and "test" if given:
        `name`, number of `docs` and `entities`, `sha256`.
    evaluations (list[dict[str, Any]]): The evaluations on the development data: `step`, `epoch`,
        `score` and `losses`.
    selected (dict[str, Any]): The one whose model was kept.
    scores (dict[str, dict[str, Any]]): The kept model's scores by part, as evaluate gives them:
        "dev", and "test" if given.
    seconds (dict[str, float]): Wall time of "train" and of every evaluated part.
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

    def score(self, part: str, ending: str = "", measure: str = "f") -> float | None:
        """RETURNS (Optional[float]): A score on "dev" or "test", by the ending of its subset; None
        if there was nothing to score, or not on this part."""
        scores = self.scores.get(part)
        return None if scores is None else scores[f"spans_{scores['spans_key']}{ending}_{measure}"]

    def gap_length_scores(self, part: str) -> dict[str, dict[str, float]]:
        """RETURNS (dict[str, dict[str, float]]): The scores of discontinuous entities on "dev" or
        "test" by gap length; empty if there was nothing to score, or not on this part."""
        scores = self.scores.get(part, {})
        return scores.get(f"spans_{scores.get('spans_key')}_gap_lengths") or {}


def write_run(run: Run, path: Path) -> None:
    """Write a run, whole or not at all; its folder is made."""
    with replacing(path) as temporary:
        # srsly would round numbers to ten decimals
        text = json.dumps(asdict(run), indent=2, ensure_ascii=False)
        temporary.write_text(f"{text}\n", encoding="utf8")


def read_run(path: Path) -> Run:
    """Read a run.

    path (Path): The file.
    RETURNS (Run): The run.
    RAISES (GapDNERError): If the file is missing, cut off, or something else.
    """
    text = read_text(path)
    try:
        return Run(**json.loads(text))
    # not JSON, or other fields
    except (ValueError, TypeError) as error:
        raise GapDNERError(
            f"{path} is not a record of a run ({error}). Delete its folder and train again."
        ) from None


def find_runs(folders: Iterable[Path]) -> dict[Path, Run]:
    """Read all runs below folders.

    folders (Iterable[Path]): Where to look, at any depth.
    RETURNS (dict[Path, Run]): The runs by their folders, in the order of the folders given, then of
        their paths.
    RAISES (GapDNERError): If a folder is missing or contains no run, or a run.json is broken.
    """
    runs = {}
    for folder in folders:
        if not folder.is_dir():
            raise GapDNERError(f"There is no folder {folder}. Check the path.")
        paths = [path for path in visible_files(folder, (RUN_FILE,)) if path.name == RUN_FILE]
        if not paths:
            raise GapDNERError(f"{folder} contains no {RUN_FILE}. Create it with train-seeds.")
        runs |= {path.parent: read_run(path) for path in paths}
    return runs


def flatten(config: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """RETURNS (dict[str, Any]): A config as spaCy's overrides write it, e.g.
    {"training.max_steps": 100}."""
    flat: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, dict) and value:
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat
