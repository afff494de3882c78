"""Tables of scores by group, for one or more models."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..scorer import SUBSETS, Counts, Tally

# numeric groups with their titles, and the last number with its own row
_NUMBERS = {"gap_length": "Gap length", "fragments": "Fragments", "length": "Tokens"}
_LAST_NUMBER = 6


def score_rows(tally: Tally) -> list[dict[str, Any]]:
    """RETURNS (list[dict[str, Any]]): The scores and counts of each group and value."""
    return [
        {
            "group": group,
            "value": str(value),
            **counts.to_dict(),
            "gold": counts.gold,
            "predicted": counts.predicted,
            "correct": counts.correct,
        }
        for group, found in tally.groups.items()
        # subsets have their own order
        for value, counts in (found.items() if group == "subset" else sorted(found.items()))
    ]


def pool_tail(found: Mapping[int, Counts], last: int) -> dict[int, Counts]:
    """RETURNS (dict[int, Counts]): Counts by number, with those of all numbers above `last` as
    `last + 1`, because large numbers have few entities each.
    """
    pooled: dict[int, Counts] = {}
    for number, counts in found.items():
        key = min(number, last + 1)
        pooled[key] = pooled.get(key, Counts()) + counts
    return pooled


def f1_tables(tallies: Sequence[Tally]) -> dict[str, list[tuple[Any, ...]]]:
    """RETURNS (dict[str, list[tuple]]): The scores of models as tables by title. See `f1_table`."""
    numbers = {title: f1_table(tallies, group, _LAST_NUMBER) for group, title in _NUMBERS.items()}
    return {"Exact match": f1_table(tallies, "subset"), **numbers}


def f1_table(
    tallies: Sequence[Tally], group: str, last: int | None = None
) -> list[tuple[Any, ...]]:
    """RETURNS (list[tuple]): One row per value of a group of `Tally`: its name, its number of gold
    entities, and the Counts of each model. Numbers above `last` share a row.
    """
    models = [tally.groups[group] for tally in tallies]
    if last is not None:
        models = [pool_tail(found, last) for found in models]
    values = {value for found in models for value in found}
    names = {value: str(value) for value in sorted(values)}
    if group == "subset":
        names = SUBSETS
    elif last is not None and last + 1 in names:
        names[last + 1] = f"{last + 1}+"
    return [
        (
            name,
            max(found[value].gold for found in models if value in found),
            *(found.get(value, Counts()) for found in models),
        )
        for value, name in names.items()
    ]


def percent_f1(counts: Counts) -> str:
    """RETURNS (str): "F1 (precision/recall)" in percent."""
    p, r, f = counts.to_dict().values()
    if p is None or r is None or f is None:
        return "-"
    return f"{100 * f:.1f} ({100 * p:.1f}/{100 * r:.1f})"
