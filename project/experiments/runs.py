"""The record of one training: all that a table of results is made of."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from spacy_gapdner.entities import DEFAULT_SPANS_KEY, get_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_text, visible_files
from spacy_gapdner.formats.outputs import replacing

RUN_FILE = "run.json"
_KIND = "spacy-gapdner run 1"
DATA_PATHS = {"paths.train", "paths.dev", "corpora.train.path", "corpora.dev.path"}


@dataclass(frozen=True)
class DataFile:
    """A file that a training or its evaluation read.

    name (str): File name without folders.
    docs (int): Number of Docs.
    entities (int): Number of gold entities.
    sha256 (str): Hash of the file's bytes.
    """

    name: str
    docs: int
    entities: int
    sha256: str


@dataclass(frozen=True)
class Evaluation:
    """One evaluation on the development data in the course of a training.

    step (int): Batches seen before.
    epoch (int): Passes over the training data completed before.
    score (float): What the best model is chosen by, as the config weights its scores.
    losses (dict[str, float]): Losses by component since the last evaluation.
    """

    step: int
    epoch: int
    score: float
    losses: dict[str, float]


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
    data (dict[str, list[DataFile]]): Files by part: "train", "dev", and "test" if given.
    evaluations (list[Evaluation]): The evaluations on the development data, by step.
    selected (Evaluation): The one whose model was kept.
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
    data: dict[str, list[DataFile]]
    evaluations: list[Evaluation]
    selected: Evaluation
    scores: dict[str, dict[str, Any]]
    seconds: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The run as run.json has it."""
        return {"kind": _KIND, **asdict(self)}

    @classmethod
    def from_json(cls, value: Any) -> "Run":
        """Make a run of what run.json has.

        value (Any): The parsed file.
        RETURNS (Run): The run.
        RAISES (ValueError): If it is no run, or lacks something.
        """
        if not isinstance(value, dict) or value.get("kind") != _KIND:
            raise ValueError(f'it lacks "kind": "{_KIND}"')
        names = [field.name for field in fields(cls)]
        missing = [name for name in names if name not in value]
        if missing:
            raise ValueError(f"it lacks {missing[0]!r}")
        found = {name: value[name] for name in names}
        found["data"] = {
            part: [DataFile(**file) for file in files] for part, files in value["data"].items()
        }
        found["evaluations"] = [Evaluation(**row) for row in value["evaluations"]]
        found["selected"] = Evaluation(**value["selected"])
        return cls(**found)


def write_run(run: Run, path: Path) -> None:
    """Write a run, whole or not at all.

    run (Run): The run.
    path (Path): The file; its folder is made.
    """
    with replacing(path) as temporary:
        # srsly would round numbers to ten decimals
        text = json.dumps(run.to_json(), indent=2, ensure_ascii=False)
        temporary.write_text(f"{text}\n", encoding="utf8")


def read_run(path: Path) -> Run:
    """Read a run.

    path (Path): The file.
    RETURNS (Run): The run.
    RAISES (GapDNERError): If the file is missing, cut off, or something else.
    """
    text = read_text(path)
    try:
        return Run.from_json(json.loads(text))
    # json's errors are ValueErrors as well
    except ValueError as error:
        raise GapDNERError(
            f"{path} is no record of a run ({error}). Delete its folder and train again."
        ) from None


def find_runs(folders: Iterable[Path]) -> list[Run]:
    """Read all runs below folders.

    folders (Iterable[Path]): Where to look, at any depth.
    RETURNS (list[Run]): The runs in the order of the folders, then of their paths.
    RAISES (GapDNERError): If a folder is missing or holds no run, or a run.json is broken.
    """
    return [read_run(path) for folder in folders for path in find_run_files(folder)]


def find_run_files(folder: Path) -> list[Path]:
    """Find the records of runs below a folder.

    folder (Path): Where to look, at any depth.
    RETURNS (list[Path]): The run.json files.
    RAISES (GapDNERError): If the folder is missing or holds none.
    """
    if not folder.is_dir():
        raise GapDNERError(f"There is no folder {folder}. Check the path.")
    paths = [path for path in visible_files(folder, (RUN_FILE,)) if path.name == RUN_FILE]
    if not paths:
        raise GapDNERError(f"{folder} holds no {RUN_FILE}. train-seeds makes them.")
    return paths


def describe_file(path: Path, docs: Iterable[Doc], key: str = DEFAULT_SPANS_KEY) -> DataFile:
    """Describe a .spacy file.

    path (Path): The file.
    docs (Iterable[Doc]): Its Docs.
    key (str): Prefix of the span groups.
    RETURNS (DataFile): Its description.
    """
    n_docs = n_entities = 0
    for doc in docs:
        n_docs += 1
        n_entities += len(get_entities(doc, key))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return DataFile(path.name, n_docs, n_entities, sha256)


def find_differences(
    run: Run, name: str, config: dict[str, Any], data: dict[str, list[DataFile]]
) -> list[str]:
    """Compare a run with what is asked for. Paths of data may differ, their contents may not.

    run (Run): The run.
    name (str): The name asked for.
    config (dict[str, Any]): The config asked for, with all defaults.
    data (dict[str, list[DataFile]]): The data asked for.
    RETURNS (list[str]): What differs, in words; empty if nothing does.
    """
    differences = [] if run.name == name else [f"its name is {run.name!r}, not {name!r}"]
    there, asked = flatten(run.config), flatten(config)
    for setting in sorted(set(there) | set(asked)):
        old, new = there.get(setting), asked.get(setting)
        if old != new and setting not in DATA_PATHS:
            differences.append(f"its {setting} is {old!r}, not {new!r}")
    for part in sorted(set(run.data) | set(data)):
        if _hashes(run.data.get(part, [])) != _hashes(data.get(part, [])):
            differences.append(f"its {part} data are others")
    return differences


def flatten(config: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Write a config as spaCy's overrides do, e.g. {"training.max_steps": 100}.

    config (dict[str, Any]): The nested config.
    prefix (str): What stands before every name.
    RETURNS (dict[str, Any]): Values by dotted name.
    """
    flat: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, dict) and value:
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _hashes(files: list[DataFile]) -> list[str]:
    return [file.sha256 for file in files]
