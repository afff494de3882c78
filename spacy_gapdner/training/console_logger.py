"""Log the training of `spacy train` with distinct column names, and warn if it fails."""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from spacy.language import Language
from spacy.util import registry

from ..pipe.recognizer import DiscontinuousEntityRecognizer
from .training_length import check_length

# Number of evaluations after which missing discontinuous entities are reported
N_EVALUATIONS = 5

LogStep = Callable[[dict[str, Any] | None], None]
Logger = Callable[[Language, IO[str], IO[str]], tuple[LogStep, Callable[[], None]]]


def make_console_logger(
    progress_bar: str | None = None,
    console_output: bool = True,
    output_file: str | Path | None = None,
) -> Logger:
    """Create a logger like `spacy.ConsoleLogger.v3` with other names of columns. spaCy cuts long
    names, so all scores of the pipe are called `SPANS_GAPD...`. This logger removes `spans_`
    and the `spans_key` of the pipe. If there are several pipes, it moves their keys to the end. It
    warns at the fifth evaluation in a row that found no discontinuous entity, and if batches after
    the last evaluation are not in model-best.

    progress_bar (Optional[str]): "train" or "eval" to show the progress.
    console_output (bool): Whether to print the table.
    output_file (Optional[Union[str, Path]]): JSONL file for the scores. It has their full names.
    RETURNS (Logger): The logger.
    """
    make = registry.loggers.get("spacy.ConsoleLogger.v3")
    console = make(progress_bar, console_output)
    file = make(console_output=False, output_file=output_file)

    def setup(
        nlp: Language, stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr
    ) -> tuple[LogStep, Callable[[], None]]:
        pipes = [pipe for _, pipe in nlp.pipeline]
        keys = [p.key for p in pipes if isinstance(p, DiscontinuousEntityRecognizer)]
        # a key can begin with another one
        keys.sort(key=len, reverse=True)
        config = nlp.config.interpolate()
        training = config["training"]
        if mistake := check_length(training):
            warnings.warn(mistake, stacklevel=2)
        training["score_weights"] = _rename(training["score_weights"], keys)
        n_without_disc = dict.fromkeys(keys, 0)
        log_to_file, end_file = file(nlp, stdout, stderr)
        shown = SimpleNamespace(pipeline=nlp.pipeline, config=config)
        log_to_console, end_console = console(shown, stdout, stderr)

        def log_step(info: dict[str, Any] | None) -> None:
            log_to_file(info)
            scores = info["other_scores"] if info else {}
            log_to_console(info and {**info, "other_scores": _rename(scores, keys)})
            # the first evaluation is before the training
            for key in keys if info and info["step"] else ():
                counts = scores.get(f"spans_{key}_counts", {})
                is_missing = counts.get("disc_gold") and not counts["disc_correct"]
                n_without_disc[key] = n_without_disc[key] + 1 if is_missing else 0
                if n_without_disc[key] == N_EVALUATIONS:
                    warnings.warn(
                        f"The last {N_EVALUATIONS} evaluations have not found any of "
                        f"{counts['disc_gold']} discontinuous entities under the spans_key {key!r}."
                        " These entities are learned late. Train longer (total_steps), lower "
                        "disc_threshold, or check the data with gapdner debug-data.",
                        stacklevel=2,
                    )

        def finalize() -> None:
            end_console()
            end_file()

        return log_step, finalize

    return setup


def _rename(scores: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    renamed = {}
    for name, score in scores.items():
        for key in keys:
            if (short := name.removeprefix(f"spans_{key}_")) != name:
                name = short if len(keys) == 1 else f"{short}_{key}"
                break
        renamed[name] = score
    return renamed
