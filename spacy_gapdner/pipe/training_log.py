"""The log of a training on the console: a table with the scores that matter here."""

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import IO, Any

from spacy.language import Language
from spacy.training.loggers import console_logger_v3
from tqdm import tqdm
from wasabi.printer import Printer

from .recognizer import DiscontinuousEntityRecognizer

# Logs one step of training, which has been evaluated if there are numbers
LogStep = Callable[[dict[str, Any] | None], None]
SetupLogger = Callable[..., tuple[LogStep, Callable[[], None]]]

_MEASURES = {"f": "F", "p": "P", "r": "R", "disc_f": "disc F"}
_MIN_WIDTH = 6


def make_console_logger(progress_bar: bool = False, output_file: Path | None = None) -> SetupLogger:
    """Create the logger; registered as `spacy-gapdner.ConsoleLogger.v1`.

    It prints a row for each evaluation: epoch, step, the loss of every trained pipe, the scores
    that have a weight in the config (F, P, R and disc F are those of our pipe, in percent), the
    words per second since the row before, evaluation included, and the weighted score.

    progress_bar (bool): Show on a terminal how far training is: to its end if `max_steps` says
        where that is, else to the next evaluation.
    output_file (Optional[Path]): JSON lines file for the same numbers, as spaCy's own
        console logger writes it.
    RETURNS (Callable): What spaCy calls with the pipeline and the streams to write to.
    """
    setup_file = console_logger_v3(None, console_output=False, output_file=output_file)

    def setup(
        nlp: Language, stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr
    ) -> tuple[LogStep, Callable[[], None]]:
        log_to_file, close_file = setup_file(nlp, stdout, stderr)
        table = _Table(nlp, stdout)
        training = nlp.config.interpolate()["training"]
        max_steps, frequency = training["max_steps"], training["eval_frequency"]
        bar: tqdm | None = None

        def log_step(info: dict[str, Any] | None) -> None:
            nonlocal bar
            if info is None:
                if bar is not None:
                    bar.update(1)
                return
            # spaCy takes a missing score for 0, and stops at None: there is nothing to score
            scores = {k: v for k, v in info["other_scores"].items() if v is not None}
            log_to_file({**info, "other_scores": scores})
            if bar is not None:
                bar.close()
            table.write(info)
            if progress_bar:
                start = info["step"] if max_steps else 0
                bar = tqdm(
                    total=max_steps or frequency,
                    initial=start,
                    unit=" steps",
                    # only on a terminal
                    disable=None,
                    leave=False,
                    file=stderr,
                )

        def finalize() -> None:
            if bar is not None:
                bar.close()
            close_file()

        return log_step, finalize

    return setup


class _Table:
    def __init__(self, nlp: Language, stream: IO[str]) -> None:
        self.stream = stream
        self.pipes = [name for name, pipe in nlp.pipeline if getattr(pipe, "is_trainable", False)]
        weights = nlp.config["training"]["score_weights"]
        titles = _score_titles(nlp)
        self.scores = [name for name, weight in weights.items() if weight is not None]
        losses = ["Loss"] if len(self.pipes) == 1 else [f"Loss {name}" for name in self.pipes]
        names = [titles.get(name, name) for name in self.scores]
        self.columns = ["Epoch", "Step", *losses, *names, "Words/s", "Score"]
        self.words, self.time = 0, perf_counter()
        self._row(self.columns)
        self._row(["-" * max(len(column), _MIN_WIDTH) for column in self.columns])

    def write(self, info: dict[str, Any]) -> None:
        now = perf_counter()
        words, seconds = info["words"] - self.words, now - self.time
        self.words, self.time = info["words"], now
        scores = (info["other_scores"].get(name) for name in self.scores)
        self._row(
            [
                str(info["epoch"]),
                str(info["step"]),
                *(f"{float(info['losses'][name]):.2f}" for name in self.pipes),
                *map(_percent, scores),
                f"{words / seconds:.0f}" if words else "-",
                _percent(info["score"]),
            ]
        )

    def _row(self, values: list[str]) -> None:
        widths = [max(len(column), _MIN_WIDTH) for column in self.columns]
        aligns = ["r"] * len(widths)
        row = Printer(no_print=True).row(values, widths=widths, aligns=aligns, spacing=2)
        print(row, file=self.stream, flush=True)


def _score_titles(nlp: Language) -> dict[str, str]:
    pipes = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DiscontinuousEntityRecognizer)]
    return {
        f"spans_{pipe.key}_{measure}": title if len(pipes) == 1 else f"{pipe.key} {title}"
        for pipe in pipes
        for measure, title in _MEASURES.items()
    }


def _percent(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.2f}"
