"""Means and deviations over seeds."""

from collections.abc import Iterable, Sequence
from statistics import mean, stdev
from typing import NamedTuple

from ..tables import Table
from .runs import Run

# title, ending of the scores' names
SUBSETS = (
    ("All entities", ""),
    ("Sentences with discontinuous", "_disc_sents"),
    ("Discontinuous entities", "_disc"),
    ("Sentences with overlap", "_overlap_sents"),
)
PARTS = ("dev", "test")
MEASURES = ("p", "r", "f")
# where there was neither a gold nor a predicted entity to score
NO_SCORE = "-"


class Statistic(NamedTuple):
    """Mean and spread of a number over runs.

    n (int): Number of runs.
    mean (float): The mean.
    sd (Optional[float]): Sample standard deviation; None for a single run.
    """

    n: int
    mean: float
    sd: float | None


def summarize(values: Iterable[float | None]) -> Statistic | None:
    """RETURNS (Optional[Statistic]): Of a number per run, those that are None left out; None if
    there is no number."""
    numbers = [value for value in values if value is not None]
    if not numbers:
        return None
    return Statistic(len(numbers), mean(numbers), stdev(numbers) if len(numbers) > 1 else None)


def show(
    values: Iterable[float | None],
    scale: float = 100,
    digits: int = 2,
    sign: str = "-",
    missing: str = NO_SCORE,
) -> str:
    """Write mean and deviation, e.g. "67.12 ± 0.31".

    values (Iterable[Optional[float]]): A number per run.
    scale (float): Factor; scores are shown in percent.
    digits (int): Digits after the point.
    sign (str): "+" to mark positive means.
    missing (str): What stands for no number at all.
    RETURNS (str): The mean, and the deviation if there are several numbers.
    """
    found = summarize(values)
    if found is None:
        return missing
    text = f"{scale * found.mean:{sign}.{digits}f}"
    return text if found.sd is None else f"{text} ± {scale * found.sd:.{digits}f}"


def seed_table(runs: Sequence[Run], part: str) -> Table:
    """Make a table of the scores on a part of the data: every seed, then mean and deviation.

    runs (Sequence[Run]): Runs that differ in the seed.
    part (str): "dev" or "test".
    RETURNS (Table): Rows of subset, seed, P, R, F.
    """
    rows = []
    for title, ending in SUBSETS:
        values = [[run.score(part, ending, m) for m in MEASURES] for run in runs]
        for run, scores in zip(runs, values, strict=True):
            rows.append(["", str(run.seed), *(show([score]) for score in scores)])
        rows[-len(runs)][0] = title
        columns = list(zip(*values, strict=True))
        n = sum(f is not None for f in columns[-1])
        rows.append(["", f"mean ± sd (n = {n})", *map(show, columns)])
    names = ", ".join(dict.fromkeys(run.name for run in runs))
    return Table(f"{names}: scores on {part}", ["Exact match", "Seed", "P", "R", "F"], rows)
