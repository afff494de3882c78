"""Make the tables of a cross-validation."""

from collections.abc import Mapping, Sequence
from typing import Any

from spacy_gapdner.pipe.scorer import SUBSETS, prf

from ..tables import Table
from .cross_validation import Task
from .fold_counts import VariantCounts, count_entities, difference, f1
from .folds import Folds
from .runs import RUN_FILE, read_run

_SUBSETS = ("all", "disc_sents", "disc", "overlap_sents")
# groups of missed entities and their names
_PROPERTIES = {
    "gap": "tokens in gaps",
    "fragments": "fragments",
    "disc type": "type",
    "known": "in training data",
    "sentence": "tokens in sentence",
}


def make_tables(tasks: Mapping[str, Sequence[Task]], folds: Folds, n_resamples: int) -> list[Table]:
    """RETURNS (list[Table]): All tables of the complete tasks of variants by name. Differences are
    from the first variant with a complete task.
    """
    counts = {name: count_entities(own, folds) for name, own in tasks.items() if own}
    (first, base), *others = counts.items()
    tables = [_score_table(counts, tasks)]
    if others:
        tables.append(_difference_table(first, base, dict(others), n_resamples))
    tables.append(_f1_table("F1 by type", "type", counts))
    tables.append(_f1_table("F1 for discontinuous entities by type", "disc type", counts))
    tables.append(_f1_table("F1 for discontinuous entities by tokens in gaps", "gap", counts))
    return [*tables, _recall_table(counts), _error_table(counts)]


def _score_table(counts: Mapping[str, VariantCounts], tasks: Mapping[str, Sequence[Task]]) -> Table:
    rows = []
    for name, found in counts.items():
        runs = [read_run(task.folder / RUN_FILE) for task in tasks[name]]
        minutes = [
            f"{sum(run.seconds[key] for run in runs) / len(runs) / 60:.1f}"
            for key in ("train_cpu", "train")
        ]
        cells = [f"{value:.1f}" for subset in _SUBSETS for value in _prf(found, subset)]
        # F1 for all subsets, precision and recall for all and for discontinuous entities
        cells = [*cells[:3], cells[5], *cells[6:9], cells[11]]
        rows.append([name, ", ".join(str(task.fold) for task in tasks[name]), *cells, *minutes])
    header = ["Variant", "Folds", "P", "R", "F1", "F1, disc. sentences", "P, disc.", "R, disc."]
    header += ["F1, disc.", "F1, overlap", "CPU minutes", "Minutes"]
    return Table("Scores over all folds, and the mean time of a training", header, rows)


def _difference_table(
    first: str, base: VariantCounts, others: Mapping[str, VariantCounts], n_resamples: int
) -> Table:
    rows = []
    for name, found in others.items():
        n = len({*base.documents} & {*found.documents})
        if not n:
            continue
        cells = [difference(base, found, ("subset", s), n_resamples) for s in _SUBSETS]
        texts = [f"{value:+.1f} ({low:.1f} to {high:.1f})" for value, low, high in cells]
        rows.append([name, str(n), *texts])
    title = f"F1 minus that of {first} on the documents of both, and 95% intervals"
    return Table(title, ["Variant", "Documents", *(SUBSETS[s] for s in _SUBSETS)], rows)


def _f1_table(title: str, group: str, counts: Mapping[str, VariantCounts]) -> Table:
    values = _values(counts, group)
    gold = _gold(counts, group, values)
    rows = [
        [name, *(f"{float(f1(found.total(group, value))):.1f}" for value in values)]
        for name, found in counts.items()
    ]
    return Table(title, ["Variant", *map(_show, values)], [["gold entities", *gold], *rows])


def _recall_table(counts: Mapping[str, VariantCounts]) -> Table:
    rows = []
    for group, title in _PROPERTIES.items():
        values = _values(counts, group)
        for value, gold in zip(values, _gold(counts, group, values), strict=True):
            recalls = [prf(*found.total(group, value))[1] for found in counts.values()]
            name = f"{title}: {_show(value)}"
            rows.append([name, gold, *(f"{100 * float(recall):.1f}" for recall in recalls)])
    return Table("Recall of discontinuous entities", ["Entities", "Gold", *counts], rows)


def _error_table(counts: Mapping[str, VariantCounts]) -> Table:
    rows = []
    for kind in _values(counts, "error"):
        numbers = [found.total("error", kind)[2] for found in counts.values()]
        gold = [found.total("subset", "disc")[2] for found in counts.values()]
        shares = [100 * float(n / all_) for n, all_ in zip(numbers, gold, strict=True)]
        rows.append([kind, *(f"{share:.1f}" for share in shares)])
    title = "Discontinuous gold entities that are not found, by kind of error, in percent of all"
    return Table(title, ["Error", *counts], rows)


def _prf(found: VariantCounts, subset: str) -> list[float]:
    return [100 * float(value) for value in prf(*found.total("subset", subset))]


def _values(counts: Mapping[str, VariantCounts], group: str) -> list[Any]:
    found = {
        value for variant in counts.values() for name, value in variant.groups if name == group
    }
    return sorted(found, key=_order)


def _order(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


def _gold(counts: Mapping[str, VariantCounts], group: str, values: Sequence[Any]) -> list[str]:
    # variants can have different folds
    return [f"{max(found.total(group, v)[2] for found in counts.values()):.0f}" for v in values]


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        start, end = value
        return f"{start}+" if end is None else str(start) if start == end else f"{start} to {end}"
    return str(value)
