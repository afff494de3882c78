"""Tables of scores by group, for one or more models."""

from collections.abc import Sequence
from typing import Any

from ..scorer import SUBSETS, Counts, Tally


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


def f1_table(
    tallies: Sequence[Tally], group: str, last: int | None = None
) -> list[tuple[Any, ...]]:
    """RETURNS (list[tuple]): One row per value of a group of `Tally`: its name, its number of gold
    entities, and the Counts of each model. Numbers above `last` share a row, because they have few
    entities each.
    """
    table: dict[Any, list[Counts]] = {}
    for number, tally in enumerate(tallies):
        for value, counts in tally.groups[group].items():
            key = value if last is None else min(value, last + 1)
            table.setdefault(key, [Counts() for _ in tallies])[number] += counts
    names: dict[Any, str] = {value: str(value) for value in sorted(table)}
    if group == "subset":
        names = dict(SUBSETS)
    if last is not None and last + 1 in table:
        names[last + 1] = f"{last + 1}+"
    return [
        (name, max(counts.gold for counts in table[value]), *table[value])
        for value, name in names.items()
    ]


def percent_f1(counts: Counts) -> str:
    """RETURNS (str): "F1 (precision/recall)" in percent."""
    scores = [100 * score for score in counts.to_dict().values() if score is not None]
    return "{2:.1f} ({0:.1f}/{1:.1f})".format(*scores) if scores else "-"
