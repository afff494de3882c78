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

    def format(self, scale: float = 100, digits: int = 2, sign: str = "-") -> str:
        """Write the statistic, e.g. "67.12 ± 0.31".

        scale (float): Factor; scores are shown in percent.
        digits (int): Digits after the point.
        sign (str): "+" to mark positive means.
        RETURNS (str): The mean, and the deviation if there is one.
        """
        text = f"{scale * self.mean:{sign}.{digits}f}"
        return text if self.sd is None else f"{text} ± {scale * self.sd:.{digits}f}"


def summarize(values: Iterable[float | None]) -> Statistic | None:
    """Compute mean and sample standard deviation.

    values (Iterable[Optional[float]]): A number per run; None where there was nothing to score.
    RETURNS (Optional[Statistic]): They; None if there is no number.
    """
    numbers = [value for value in values if value is not None]
    if not numbers:
        return None
    return Statistic(len(numbers), mean(numbers), stdev(numbers) if len(numbers) > 1 else None)


def get_score(run: Run, part: str, ending: str = "", measure: str = "f") -> float | None:
    """Look up a score of a run.

    run (Run): The run.
    part (str): "dev" or "test".
    ending (str): The subset, see SUBSETS.
    measure (str): "p", "r" or "f".
    RETURNS (Optional[float]): The score; None if there was nothing to score, or not on this part.
    """
    scores = run.scores.get(part)
    return None if scores is None else scores[f"spans_{scores['spans_key']}{ending}_{measure}"]


def score_statistic(
    runs: Iterable[Run], part: str, ending: str = "", measure: str = "f"
) -> Statistic | None:
    """Compute mean and deviation of a score.

    runs (Iterable[Run]): Runs that differ in the seed.
    part (str): "dev" or "test".
    ending (str): The subset, see SUBSETS.
    measure (str): "p", "r" or "f".
    RETURNS (Optional[Statistic]): They; None if no run has the score.
    """
    return summarize(get_score(run, part, ending, measure) for run in runs)


def seed_table(runs: Sequence[Run], part: str) -> Table:
    """Make a table of the scores on a part of the data: every seed, then mean and deviation.

    runs (Sequence[Run]): Runs that differ in the seed.
    part (str): "dev" or "test".
    RETURNS (Table): Rows of subset, seed, P, R, F.
    """
    rows = []
    for title, ending in SUBSETS:
        values = {m: [get_score(run, part, ending, m) for run in runs] for m in MEASURES}
        for i, run in enumerate(runs):
            percents = [_percent(values[m][i]) for m in MEASURES]
            rows.append([title if i == 0 else "", str(run.seed), *percents])
        statistics = [summarize(values[m]) for m in MEASURES]
        n = sum(value is not None for value in values["f"])
        cells = [NO_SCORE if s is None else s.format() for s in statistics]
        rows.append(["", f"mean ± sd (n = {n})", *cells])
    names = ", ".join(dict.fromkeys(run.name for run in runs))
    return Table(f"{names}: scores on {part}", ["Exact match", "Seed", "P", "R", "F"], rows)


def _percent(score: float | None) -> str:
    return NO_SCORE if score is None else f"{100 * score:.2f}"
