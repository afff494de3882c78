"""Scores of models by groups of entities and sentences, with the counts behind them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spacy.scorer import PRFScore

from ..scorer import SUBSETS, Comparison, Tally, count, score_groups

# groups whose values are numbers, and the last number with a row of its own
_NUMBERS = {"gap_length": "Gap length", "fragments": "Fragments", "length": "Tokens"}
_LAST_NUMBER = 6


class ScoreRow(NamedTuple):
    """The score of one group.

    group (str): "subset", "type", "gap_length", "fragments" or "length".
    value (str): Which of them: a key of SUBSETS, a type, or a number.
    p (Optional[float]): Precision; this and the next two are None if there is nothing to score.
    r (Optional[float]): Recall.
    f (Optional[float]): F1.
    gold (int): Number of gold entities.
    predicted (int): Number of predicted entities.
    correct (int): Number of those that are equal.
    """

    group: str
    value: str
    p: float | None
    r: float | None
    f: float | None
    gold: int
    predicted: int
    correct: int


@dataclass
class SubsetTally(Tally):
    """The counts of the scorer, and two groupings more.

    fragments (dict[int, PRFScore]): By number of fragments.
    lengths (dict[int, PRFScore]): By number of tokens, gaps left out.
    """

    fragments: dict[int, PRFScore] = field(default_factory=dict)
    lengths: dict[int, PRFScore] = field(default_factory=dict)

    def add(self, compared: Comparison) -> None:
        """Count the entities of one example.

        compared (Comparison): Its entities.
        """
        super().add(compared)
        gold, predicted = compared.gold, compared.predicted
        score_groups(self.fragments, lambda item: len(item[1]), predicted, gold)
        score_groups(self.lengths, compared.positions.length, predicted, gold)

    def rows(self) -> list[ScoreRow]:
        """RETURNS (list[ScoreRow]): All scores, numbers in ascending order."""
        groups: dict[str, dict[Any, PRFScore]] = {
            "type": self.per_type,
            "gap_length": self.gap_lengths,
            "fragments": self.fragments,
            "length": self.lengths,
        }
        rows = [_row("subset", subset, score) for subset, score in self.subsets.items()]
        for group, scores in groups.items():
            rows += [_row(group, str(value), scores[value]) for value in sorted(scores)]
        return rows


def select(rows: Iterable[ScoreRow], group: str) -> list[ScoreRow]:
    """RETURNS (list[ScoreRow]): The rows of one group."""
    return [row for row in rows if row.group == group]


def pool_tail(rows: Sequence[ScoreRow], last: int) -> list[ScoreRow]:
    """Score large numbers together, where each alone has few entities.

    rows (Sequence[ScoreRow]): Rows of one group whose values are numbers.
    last (int): The last number with a row of its own.
    RETURNS (list[ScoreRow]): The rows up to `last`, then one such as "11+" if there are others.
    """
    head = [row for row in rows if int(row.value) <= last]
    tail = rows[len(head) :]
    if not tail:
        return head
    correct = sum(row.correct for row in tail)
    pooled = PRFScore(
        tp=correct,
        fp=sum(row.predicted for row in tail) - correct,
        fn=sum(row.gold for row in tail) - correct,
    )
    return [*head, _row(tail[0].group, f"{last + 1}+", pooled)]


def f1_tables(models: Mapping[str, Sequence[ScoreRow]]) -> dict[str, list[tuple[Any, ...]]]:
    """List F1 of models side by side: of the subsets, by gap length, number of fragments and of
    tokens.

    models (Mapping[str, Sequence[ScoreRow]]): Rows by the models' names, on the same data.
    RETURNS (dict[str, list[tuple]]): Tables by title, see `f1_table`.
    """
    tables = {"Exact match": f1_table(select(rows, "subset") for rows in models.values())}
    for group, title in _NUMBERS.items():
        pooled = (pool_tail(select(rows, group), _LAST_NUMBER) for rows in models.values())
        tables[title] = f1_table(pooled, by_number=True)
    return {title: table for title, table in tables.items() if table}


def f1_table(
    models: Iterable[Sequence[ScoreRow]], by_number: bool = False
) -> list[tuple[Any, ...]]:
    """List F1 of models side by side.

    models (Iterable[Sequence[ScoreRow]]): Rows of one group for each model, on the same data.
    by_number (bool): Whether the group's values are numbers, and to be sorted.
    RETURNS (list[tuple]): For each value of the group its name, its number of gold entities, and
        for each model "F1 (precision/recall)" in percent.
    """
    columns = [{row.value: row for row in rows} for rows in models]
    values = list(dict.fromkeys(value for column in columns for value in column))
    if by_number:
        values.sort(key=lambda value: int(value.rstrip("+")))
    table = []
    for value in values:
        found = [column.get(value) for column in columns]
        gold = max(row.gold for row in found if row is not None)
        table.append((SUBSETS.get(value, value), gold, *map(_f1, found)))
    return table


def _f1(row: ScoreRow | None) -> str:
    if row is None or row.p is None or row.r is None or row.f is None:
        return "-"
    return f"{100 * row.f:.1f} ({100 * row.p:.1f}/{100 * row.r:.1f})"


def _row(group: str, value: str, score: PRFScore) -> ScoreRow:
    some = bool(len(score))
    p, r, f = (score.precision, score.recall, score.fscore) if some else (None, None, None)
    correct, predicted, gold = count(score)
    return ScoreRow(group, value, p, r, f, gold, predicted, correct)
