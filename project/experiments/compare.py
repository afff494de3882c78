"""Compare recorded runs in tables: means over seeds, and differences."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from spacy_gapdner.errors import GapDNERError

from ..tables import Table
from .comparable import find_differences
from .published import CORPORA, PUBLISHED
from .runs import Run, find_runs
from .summary import MEASURES, NO_SCORE, PARTS, SUBSETS, show, summarize

NOT_RUN = "not run"
# longer gaps are rare
_GAP_LENGTHS = range(1, 9)
# runs by name, sorted by seed. The first name is the baseline of the differences
Groups = dict[str, list[Run]]


def compare(
    folders: Sequence[Path], *, published: str | None = None
) -> tuple[list[Table], list[str], list[dict[str, Any]]]:
    """Compare recorded runs in folders and subfolders, optionally with "table2" or "table3" of the
    paper. Returns tables, warnings, and all statistics by name, with scores between 0 and 1."""
    if published is not None and published not in PUBLISHED:
        raise GapDNERError(f"Unknown table: {published!r}. Use {' or '.join(PUBLISHED)}.")
    groups = group_runs(find_runs(folders).values())
    parts = [p for p in PARTS if any(p in run.scores for runs in groups.values() for run in runs)]
    tables = [scores_table(groups, part) for part in parts]
    if len(groups) > 1:
        tables += [difference_table(groups, part) for part in parts]
    tables += [gap_length_table(groups, parts[-1]), _time_table(groups)]
    if published is not None:
        tables.append(_published_table(groups, published, parts[-1]))
    statistics = [_statistics(name, runs, parts) for name, runs in groups.items()]
    return tables, find_differences(groups), statistics


def group_runs(runs: Iterable[Run]) -> Groups:
    """Group runs by name, in order of appearance, sorted by seed."""
    groups: dict[str, dict[int, Run]] = {}
    for run in runs:
        if groups.setdefault(run.name, {}).setdefault(run.seed, run) is not run:
            raise GapDNERError(
                f"There are two runs of {run.name} with seed {run.seed}. Use folders that contain "
                "each run once, or train one of them with another --name."
            )
    return {name: [group[seed] for seed in sorted(group)] for name, group in groups.items()}


def scores_table(groups: Groups, part: str) -> Table:
    """RETURNS (Table): Means and deviations on "dev" or "test", one row per name."""
    columns = [("", m) for m in MEASURES] + [(suffix, "f") for _, suffix in SUBSETS[1:]]
    rows = [_scores_row(name, runs, part, columns) for name, runs in groups.items()]
    header = ["Model", "Seeds", "P", "R", "F", *(f"F, {name.lower()}" for name, _ in SUBSETS[1:])]
    title = f"Scores on {part} ({_describe_data(groups, part)}), mean ± sample sd over seeds"
    return Table(title, header, rows)


def difference_table(groups: Groups, part: str) -> Table:
    """Differences in F on "dev" or "test" from the first name, paired by seed, one row per other
    name."""
    (first, base), *others = groups.items()
    rows = []
    for name, runs in others:
        pairs = [(run, other) for run in runs for other in base if run.seed == other.seed]
        columns = []
        for _, suffix in SUBSETS:
            scores = [(run.score(part, suffix), other.score(part, suffix)) for run, other in pairs]
            columns.append([a - b for a, b in scores if a is not None and b is not None])
        cells = [show(column, sign="+") for column in columns]
        rows.append([name, str(max(map(len, columns))), *cells])
    title = f"F on {part} minus that of {first}, mean ± sample sd over the seeds of both"
    return Table(title, ["Model", "Seeds", *(title for title, _ in SUBSETS)], rows)


def gap_length_table(groups: Groups, part: str) -> Table:
    """Means and deviations of F by gap length on "dev" or "test", as in Figure 7 of the paper."""
    rows = []
    for name, runs in groups.items():
        scores = [run.gap_length_scores(part) for run in runs]
        cells = [show(found.get(str(n), {}).get("f") for found in scores) for n in _GAP_LENGTHS]
        rows.append([name, str(sum(part in run.scores for run in runs)), *cells])
    title = f"F of discontinuous entities on {part} by gap length in tokens"
    return Table(title, ["Model", "Seeds", *map(str, _GAP_LENGTHS)], rows)


def _time_table(groups: Groups) -> Table:
    rows = []
    for name, runs in groups.items():
        seconds = show((run.seconds["train"] for run in runs), 1, 0)
        speed = show((run.scores["dev"]["speed"] for run in runs), 1, 0)
        steps = ", ".join(str(run.selected["step"]) for run in runs)
        rows.append([name, str(len(runs)), seconds, speed, steps])
    header = ["Model", "Seeds", "Training, s", "Words/s on dev", "Best at step"]
    return Table("Wall time, mean ± sample sd over seeds", header, rows)


def _published_table(groups: Groups, name: str, part: str) -> Table:
    table = PUBLISHED[name]
    columns = [f"{corpus} {measure}" for corpus in CORPORA for measure in table.measures]
    rows = []
    # "GapDNER (paper's settings)" is measured next to the paper's GapDNER
    models = {name: re.sub(r" \(.*\)$", "", name) for name in groups}
    for model, scores in table.rows.items():
        for name in [name for name in groups if models[name] == model] or [model]:
            rows.append(_scores_row(name, groups.get(name, []), part, [("", "f")]) + scores)
    for name in (name for name in groups if models[name] not in table.rows):
        measured = _scores_row(name, groups[name], part, [("", "f")])
        rows.append(measured + [NO_SCORE] * len(columns))
    title = (
        f"Measured on {part} ({_describe_data(groups, part)}) next to {table.title} of the paper "
        f"({', '.join(CORPORA)})"
    )
    return Table(title, ["Model", "Seeds", "Measured F", *columns], rows)


def _scores_row(
    name: str, runs: Sequence[Run], part: str, columns: Iterable[tuple[str, str]]
) -> list[str]:
    n = sum(part in run.scores for run in runs)
    missing = NO_SCORE if n else NOT_RUN
    cells = (show((run.score(part, *c) for run in runs), missing=missing) for c in columns)
    return [name, str(n), *cells]


def _describe_data(groups: Groups, part: str) -> str:
    files = [file for runs in groups.values() for run in runs for file in run.data.get(part, [])]
    return ", ".join(dict.fromkeys(f"{file['name']}, {file['docs']} Docs" for file in files))


def _statistics(name: str, runs: Sequence[Run], parts: Sequence[str]) -> dict[str, Any]:
    scores = {
        part: {
            title: {m: summarize(run.score(part, suffix, m) for run in runs) for m in MEASURES}
            for title, suffix in SUBSETS
        }
        for part in parts
    }
    seconds = {part: summarize(run.seconds.get(part) for run in runs) for part in ("train", *parts)}
    seeds = [run.seed for run in runs]
    return {"name": name, "seeds": seeds, "seconds": seconds, "scores": scores}
