"""Run a single training in a separate process."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.util import load_config, load_model_from_config, registry
from thinc.api import Config

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import require_file
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

CONFIG_FILE, LOG_FILE, EVALUATIONS_FILE = "config.cfg", "train.log", "evaluations.jsonl"
MODEL_BEST, MODEL_LAST = "model-best", "model-last"
_N_LAST_LINES = 5


class RunConfig(NamedTuple):
    """A training config with seed, overrides and interpolated variables; the same config with all
    defaults; and the prefix of the span groups."""

    config: Config
    filled: dict[str, Any]
    spans_key: str


def read_run_config(path: Path, overrides: dict[str, Any], seed: int) -> RunConfig:
    """Read a training config. It has to select the best model by F1 for all entities and for
    discontinuous entities. If an override replaces a registered function, the arguments of the
    function in the config do not apply, except for blocks that the new function takes, too."""
    require_file(path)
    seeds = {"system.seed": seed, "training.seed": seed}
    if given := [name for name in seeds if name in overrides]:
        raise GapDNERError(f"--{given[0]} would set the same seed for all runs. Use --seeds.")
    try:
        template = load_config(path)
        for name, value in overrides.items():
            _drop_arguments(template, name, value)
        overrides = {**overrides, **seeds}
        config = Config().from_str(template.to_str(), overrides=overrides)
        nlp = load_model_from_config(config, auto_fill=True)
        filled = nlp.config.interpolate()
    # spaCy, thinc, confection and configparser raise different errors
    except Exception as error:
        raise GapDNERError(
            f"{path} is not a valid config ({type(error).__name__}): {error}"
        ) from error
    for config_ in (config, filled):
        config_["training"]["logger"] = {"@loggers": "spacy.ConsoleLogger.v3", "progress_bar": None}
    # with the types of JSON, for comparison with recorded configs
    plain = json.loads(json.dumps(filled))
    return RunConfig(config, plain, _check_selection(nlp, path))


def train(config: Config, folder: Path, gpu_id: int, code: Path | None = None) -> None:
    """Train in a new process. Its output is printed and logged. Files of earlier training in the
    folder are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (MODEL_BEST, MODEL_LAST):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / EVALUATIONS_FILE).unlink(missing_ok=True)
    config = config.copy()
    config["training"]["logger"]["output_file"] = str(folder / EVALUATIONS_FILE)
    config.to_disk(folder / CONFIG_FILE)
    command = [sys.executable, "-m", "spacy", "train", str(folder / CONFIG_FILE)]
    command += ["--output", str(folder), "--gpu-id", str(gpu_id)]
    command += ["--code", str(code)] if code else []
    env = {**os.environ, "PYTHONIOENCODING": "utf8"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf8"}
    log_path = folder / LOG_FILE
    with (
        log_path.open("w", encoding="utf8") as log,
        subprocess.Popen(command, env=env, errors="replace", **pipes) as process,
    ):
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                log.write(line)
                log.flush()
        except BaseException:
            process.terminate()
            raise
    if process.returncode or not (folder / MODEL_BEST).is_dir():
        raise training_error(process.returncode, log_path)


def training_error(exit_code: int, log_path: Path) -> GapDNERError:
    """RETURNS (GapDNERError): The error for a failed training, with the end of its log."""
    text = log_path.read_text(encoding="utf8", errors="replace")
    lines = [line.strip() for line in text.splitlines()]
    last = [line for line in lines if line][-_N_LAST_LINES:]
    return GapDNERError(
        f"Training failed with exit code {exit_code}. {log_path} ends with: {' / '.join(last)}"
    )


def read_evaluations(folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Read the logged evaluations: all evaluations, and the evaluation of the best model."""
    lines = (folder / EVALUATIONS_FILE).read_text(encoding="utf8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = [{name: row[name] for name in ("step", "epoch", "score", "losses")} for row in rows]
    # if scores are equal, spaCy keeps the later model
    return found, max(found, key=lambda row: (row["score"], row["step"]))


def _drop_arguments(config: Config, setting: str, value: Any) -> None:
    # another registered function, such as an architecture, has other arguments
    *path, name = setting.split(".")
    block = config
    for part in path:
        block = block.get(part, {})
    if name.startswith("@"):
        accepted = inspect.signature(registry.get(name[1:], value)).parameters
        for key in list(block):
            if not isinstance(block[key], dict) or key not in accepted:
                del block[key]
        block[name] = ""


def _check_selection(nlp: Language, path: Path) -> str:
    pipes = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DiscontinuousEntityRecognizer)]
    names = {pipe.key: (f"spans_{pipe.key}_f", f"spans_{pipe.key}_disc_f") for pipe in pipes}
    if not names:
        raise GapDNERError(f"The pipeline of {path} has no component with the factory gapdner.")
    weights = {name: w for name, w in nlp.config["training"]["score_weights"].items() if w}
    for key, allowed in names.items():
        if weights and weights.keys() <= set(allowed):
            return key
    found = ", ".join(f"{name} = {weight}" for name, weight in weights.items())
    expected = " or ".join(" and ".join(allowed) for allowed in names.values())
    raise GapDNERError(
        f"[training.score_weights] of {path} must select the best model by F1 for all entities "
        f"and for discontinuous entities, but has {found or 'no weight'}. Set weights for "
        f"{expected}, and set all others to 0.0."
    )
