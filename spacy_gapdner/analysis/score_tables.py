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


def pool_tail(found: Mapping[int, Counts], last: int) -> dict[str, Counts]:
    """Sum up the counts of large numbers, which have few entities each.

    found (Mapping[int, Counts]): Counts by number.
    last (int): The last number that is kept separate.
    RETURNS (dict[str, Counts]): The counts in order. Numbers above `last` have a key such as "11+".
    """
    pooled: dict[str, Counts] = {}
    for number in sorted(found):
        name = str(number) if number <= last else f"{last + 1}+"
        pooled[name] = pooled.get(name, Counts()) + found[number]
    return pooled


def f1_tables(tallies: Sequence[Tally]) -> dict[str, list[tuple[Any, ...]]]:
    """Compare the F1 of models by subset, gap length, number of fragments and number of tokens.

    tallies (Sequence[Tally]): The counts of each model on the same data.
    RETURNS (dict[str, list[tuple]]): Tables by title. See `f1_table`.
    """
    tables = {"Exact match": f1_table([tally.groups["subset"] for tally in tallies])}
    for group, title in _NUMBERS.items():
        pooled = [pool_tail(tally.groups[group], _LAST_NUMBER) for tally in tallies]
        tables[title] = f1_table(pooled)
    return {title: table for title, table in tables.items() if table}


def f1_table(models: Sequence[Mapping[Any, Counts]]) -> list[tuple[Any, ...]]:
    """Compare the F1 of models in a group.

    models (Sequence[Mapping[Any, Counts]]): The counts of the group for each model on the same
        data.
    RETURNS (list[tuple]): One row per value of the group: its name, its number of gold entities,
        and "F1 (precision/recall)" of each model in percent.
    """
    values = {value for found in models for value in found}
    names = list(SUBSETS)

    def order(value: Any) -> tuple[int, str]:
        if value in SUBSETS:
            return names.index(value), ""
        return int(digits) if (digits := str(value).rstrip("+")).isdecimal() else 0, str(value)

    return [
        (
            SUBSETS.get(value, value),
            max(found[value].gold for found in models if value in found),
            *(_percent(found.get(value, Counts())) for found in models),
        )
        for value in sorted(values, key=order)
    ]


def _percent(counts: Counts) -> str:
    p, r, f = counts.p, counts.r, counts.f
    if p is None or r is None or f is None:
        return "-"
    return f"{100 * f:.1f} ({100 * p:.1f}/{100 * r:.1f})"
