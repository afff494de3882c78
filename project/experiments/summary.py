"""Compute means and standard deviations over seeds."""

from collections.abc import Iterable, Sequence
from statistics import mean, stdev
from typing import Any

from spacy_gapdner.pipe.scorer import SUBSETS as TITLES

from ..tables import Table
from .runs import Run

# title, suffix of the score names, in the paper's order
SUBSETS = tuple(
    (TITLES[name], "" if name == "all" else f"_{name}")
    for name in ("all", "disc_sents", "disc", "overlap_sents")
)
PARTS = ("dev", "test")
MEASURES = ("p", "r", "f")
# if there are neither gold nor predicted entities
NO_SCORE = "-"


def summarize(values: Iterable[float | None]) -> dict[str, Any] | None:
    """Compute `n`, `mean` and `sd`, the sample standard deviation, of numbers. `sd` is None for a
    single number. The result is None if there are none."""
    numbers = [value for value in values if value is not None]
    if not numbers:
        return None
    sd = stdev(numbers) if len(numbers) > 1 else None
    return {"n": len(numbers), "mean": mean(numbers), "sd": sd}


def show(
    values: Iterable[float | None],
    scale: float = 100,
    digits: int = 2,
    sign: str = "-",
    missing: str = NO_SCORE,
) -> str:
    """Format the mean and the standard deviation, e.g. "67.12 ± 0.31". The sign "+" shows the sign
    of positive means."""
    found = summarize(values)
    if found is None:
        return missing
    text = f"{scale * found['mean']:{sign}.{digits}f}"
    return text if found["sd"] is None else f"{text} ± {scale * found['sd']:.{digits}f}"


def seed_table(runs: Sequence[Run], part: str) -> Table:
    """Make a table of the scores of each seed on "dev" or "test", with means and deviations."""
    rows = []
    for title, suffix in SUBSETS:
        values = [[run.score(part, suffix, m) for m in MEASURES] for run in runs]
        for run, scores in zip(runs, values, strict=True):
            rows.append(["", str(run.seed), *(show([score]) for score in scores)])
        rows[-len(runs)][0] = title
        columns = list(zip(*values, strict=True))
        n = sum(f is not None for f in columns[-1])
        rows.append(["", f"mean ± sd (n = {n})", *map(show, columns)])
    names = ", ".join(dict.fromkeys(run.name for run in runs))
    return Table(f"{names}: scores on {part}", ["Exact match", "Seed", "P", "R", "F"], rows)
