"""Runs of several names side by side: means over seeds, differences, and what does not match."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spacy_gapdner.errors import GapDNERError

from ..tables import Table
from .published import Published
from .runs import DATA_PATHS, Run, flatten
from .summary import (
    MEASURES,
    NO_SCORE,
    PARTS,
    SUBSETS,
    Statistic,
    get_score,
    score_statistic,
    summarize,
)

NOT_RUN = "not run"
_N_LISTED = 5
_SEEDS = {"system.seed", "training.seed"}


@dataclass(frozen=True)
class RunGroups:
    """Runs by name.

    groups (dict[str, list[Run]]): The runs of every name by seed; the first name is what the
        others are compared with.
    """

    groups: dict[str, list[Run]]

    def scores_table(self, part: str) -> Table:
        """Make the table of means and deviations.

        part (str): "dev" or "test".
        RETURNS (Table): A row per name.
        """
        rows = []
        for name, runs in self.groups.items():
            n = sum(part in run.scores for run in runs)
            statistics = [score_statistic(runs, part, "", measure) for measure in MEASURES]
            statistics += [score_statistic(runs, part, ending) for _, ending in SUBSETS[1:]]
            rows.append([name, str(n), *_cells(statistics, n)])
        columns = ["P", "R", "F", *(f"F, {title.lower()}" for title, _ in SUBSETS[1:])]
        title = f"Scores on {part} ({self.describe_data(part)}), mean ± sample sd over seeds"
        return Table(title, ["Model", "Seeds", *columns], rows)

    def time_table(self) -> Table:
        """RETURNS (Table): Wall time of the training, words per second of the evaluation, and the
        steps after which the best model was found."""
        rows = []
        for name, runs in self.groups.items():
            seconds = summarize(run.seconds["train"] for run in runs)
            speed = summarize(run.scores["dev"]["speed"] for run in runs)
            cells = [NOT_RUN if s is None else s.format(1, 0) for s in (seconds, speed)]
            steps = ", ".join(str(run.selected.step) for run in runs)
            rows.append([name, str(len(runs)), *cells, steps])
        header = ["Model", "Seeds", "Training, s", "Words/s on dev", "Best at step"]
        return Table("Wall time, mean ± sample sd over seeds", header, rows)

    def difference_table(self, part: str) -> Table:
        """Make the table of differences in F to the first name, paired by seed.

        part (str): "dev" or "test".
        RETURNS (Table): A row per further name.
        """
        (first, base), *others = self.groups.items()
        rows = []
        for name, runs in others:
            statistics = [paired_differences(base, runs, part, ending) for _, ending in SUBSETS]
            cells = [NO_SCORE if s is None else s.format(sign="+") for s in statistics]
            n = max((s.n for s in statistics if s is not None), default=0)
            rows.append([name, str(n), *cells])
        title = f"F on {part} less that of {first}, mean ± sample sd over the seeds of both"
        return Table(title, ["Model", "Seeds", *(title for title, _ in SUBSETS)], rows)

    def published_table(self, published: Published, part: str) -> Table:
        """Put measured F beside the paper's numbers.

        published (Published): A table of the paper.
        part (str): "dev" or "test".
        RETURNS (Table): A row per model of the paper, then the names it does not have.
        """
        columns = [f"{c} {m}" for c in published.corpora for m in published.measures]
        names = [*published.rows, *(name for name in self.groups if name not in published.rows)]
        rows = []
        for name in names:
            runs = self.groups.get(name, [])
            n = sum(part in run.scores for run in runs)
            measured = _cells([score_statistic(runs, part)], n)
            scores = published.rows.get(name) or (None,) * len(columns)
            numbers = [NO_SCORE if score is None else f"{score:.2f}" for score in scores]
            rows.append([name, str(n), *measured, *numbers])
        title = (
            f"Measured on {part} ({self.describe_data(part)}) beside the paper's "
            f"{published.title}, as published on {', '.join(published.corpora)}"
        )
        return Table(title, ["Model", "Seeds", "Measured F", *columns], rows)

    def describe_data(self, part: str) -> str:
        """Name the data of a part.

        part (str): "train", "dev" or "test".
        RETURNS (str): File names and numbers of Docs.
        """
        files = [file for run in self.runs for file in run.data.get(part, [])]
        return ", ".join(dict.fromkeys(f"{file.name}, {file.docs} Docs" for file in files))

    @property
    def runs(self) -> list[Run]:
        """RETURNS (list[Run]): All runs."""
        return [run for runs in self.groups.values() for run in runs]

    @property
    def parts(self) -> list[str]:
        """RETURNS (list[str]): The parts of the data that any run was evaluated on."""
        return [part for part in PARTS if any(part in run.scores for run in self.runs)]

    def warnings(self) -> list[str]:
        """RETURNS (list[str]): What makes the runs incomparable, one line each."""
        lines = []
        for part, title in (("train", "training"), ("dev", "development"), ("test", "test")):
            values = _by_value(self.runs, partial(_describe_files, part=part))
            if values:
                lines.append(f"The runs have different {title} data: {values}.")
        values = _by_value(
            self.runs, lambda run: run.device.get("gpu") or run.device.get("processor")
        )
        if values:
            lines.append(f"The runs were computed on different devices: {values}.")
        values = _list_settings(self.runs, _shared_settings)
        if values:
            lines.append(f"The runs differ in training or in what embeds the tokens: {values}.")
        for name, runs in self.groups.items():
            values = _list_settings(runs, lambda run: flatten(run.config))
            if values:
                lines.append(f"The runs of {name} have different settings: {values}.")
        return lines

    def to_json(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): Every statistic, as fractions of 1, and the warnings."""
        groups = [
            {
                "name": name,
                "seeds": [run.seed for run in runs],
                "seconds": {
                    part: _as_dict(summarize(run.seconds.get(part) for run in runs))
                    for part in ("train", *self.parts)
                },
                "scores": {
                    part: {
                        title: {
                            m: _as_dict(score_statistic(runs, part, ending, m)) for m in MEASURES
                        }
                        for title, ending in SUBSETS
                    }
                    for part in self.parts
                },
            }
            for name, runs in self.groups.items()
        ]
        return {"groups": groups, "warnings": self.warnings()}


def group_runs(runs: Iterable[Run]) -> RunGroups:
    """Group runs by name.

    runs (Iterable[Run]): The runs.
    RETURNS (RunGroups): The runs by name, in the order in which the names appear.
    RAISES (GapDNERError): If two runs have the same name and seed.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        group = groups.setdefault(run.name, [])
        if any(run.seed == other.seed for other in group):
            raise GapDNERError(
                f"There are two runs of {run.name} with seed {run.seed}. Give folders that hold "
                "every run once, or train one of them with another --name."
            )
        group.append(run)
    return RunGroups({name: sorted(groups[name], key=lambda run: run.seed) for name in groups})


def paired_differences(
    base: Iterable[Run], runs: Iterable[Run], part: str, ending: str
) -> Statistic | None:
    """Compute mean and deviation of the difference in F between runs of the same seed.

    base (Iterable[Run]): The runs that are subtracted.
    runs (Iterable[Run]): The runs they are subtracted from.
    part (str): "dev" or "test".
    ending (str): The subset, see SUBSETS.
    RETURNS (Optional[Statistic]): They; None if no seed has a score in both.
    """
    first = {run.seed: get_score(run, part, ending) for run in base}
    second = {run.seed: get_score(run, part, ending) for run in runs}
    differences: list[float | None] = []
    for seed, score in second.items():
        other = first.get(seed)
        if score is not None and other is not None:
            differences.append(score - other)
    return summarize(differences)


def _list_settings(runs: Sequence[Run], get: Callable[[Run], dict[str, Any]]) -> str:
    """RETURNS (str): The settings that differ, with the first few's values; empty if none do."""
    names = sorted({name for run in runs for name in get(run)} - _SEEDS - DATA_PATHS)
    differing = []
    for name in names:
        values = _by_value(runs, lambda run, name=name: get(run).get(name))  # type: ignore[misc]
        if values:
            differing.append(f"{name} {values}")
    more = len(differing) - _N_LISTED
    return ", ".join(differing[:_N_LISTED]) + (f" and {more} more" if more > 0 else "")


def _shared_settings(run: Run) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): What runs of different architectures should have in common."""
    components = run.config["components"]
    # the recogniser's settings are what is compared, but for the token vectors below it
    own = tuple(f"components.{name}." for name in components if "spans_key" in components[name])
    return {
        name: value
        for name, value in flatten(run.config).items()
        if name.startswith("training.")
        or (name.startswith("components.") and (not name.startswith(own) or ".tok2vec." in name))
    }


def _by_value(runs: Iterable[Run], describe: Callable[[Run], Any]) -> str:
    """RETURNS (str): Every value and the names of its runs; empty if there is only one value."""
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(str(describe(run)), []).append(run.name)
    if len(names) == 1:
        return ""
    return " / ".join(f"{value} ({', '.join(dict.fromkeys(names[value]))})" for value in names)


def _describe_files(run: Run, part: str) -> str:
    return ", ".join(f"{f.name} {f.sha256[:8]}" for f in run.data.get(part, [])) or "none"


def _cells(statistics: Iterable[Statistic | None], n: int) -> list[str]:
    missing = NO_SCORE if n else NOT_RUN
    return [missing if s is None else s.format() for s in statistics]


def _as_dict(statistic: Statistic | None) -> dict[str, Any] | None:
    return None if statistic is None else statistic._asdict()
