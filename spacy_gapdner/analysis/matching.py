"""Scores that give credit for what is nearly right, as other tools for contiguous entities do.

They follow SemEval-2013 task 9, here for fragments: two entities overlap if they share a
character other than whitespace of their fragments; what lies in a gap belongs to no entity.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from ..entities import Fragments
from ..scorer import Comparison, Item

# what a pair of entities has to agree in, with what reports call it
MATCHES = {
    "exact": "Same fragments, any type",
    "partial": "Overlap, any type, half if not exact",
    "type": "Overlap, same type",
}


@dataclass
class Match:
    """Counts of one measure.

    correct (float): Credit for pairs of a gold and a predicted entity.
    predicted (int): Number of predicted entities.
    gold (int): Number of gold entities.
    """

    correct: float = 0.0
    predicted: int = 0
    gold: int = 0

    def to_dict(self) -> dict[str, float | None]:
        """RETURNS (dict[str, Optional[float]]): p, r and f; None where there is nothing at all."""
        if not self.predicted and not self.gold:
            return {"p": None, "r": None, "f": None}
        return {
            "p": self.correct / self.predicted if self.predicted else 0.0,
            "r": self.correct / self.gold if self.gold else 0.0,
            "f": 2 * self.correct / (self.predicted + self.gold),
        }


@dataclass
class MatchTally:
    """The counts of all measures of MATCHES.

    matches (dict[str, Match]): By measure. `exact` counts entities with the same fragments;
        `partial` those that overlap, with half the credit if the fragments differ; `type` those
        of the same type that overlap. Each entity is in one pair at most: pairs that share the
        larger part of their characters go first, then those that come first in the text.
    """

    matches: dict[str, Match] = field(default_factory=lambda: {name: Match() for name in MATCHES})

    def add(self, compared: Comparison) -> None:
        """Count the entities of one example.

        compared (Comparison): Its entities.
        """
        gold, predicted = compared.gold, compared.predicted
        both = [Counter(fragments for _, fragments in items) for items in (gold, predicted)]
        overlapping = sorted(_overlapping(gold, predicted))
        credits = {
            "exact": float((both[0] & both[1]).total()),
            "partial": _pair(overlapping, lambda g, p: 1.0 if g[1] == p[1] else 0.5),
            "type": _pair([pair for pair in overlapping if pair[1][0] == pair[2][0]]),
        }
        for name, match in self.matches.items():
            match.correct += credits[name]
            match.predicted += len(predicted)
            match.gold += len(gold)


def meeting_extents(items: Sequence[Item], others: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """Find the pairs of entities whose extents overlap or touch, without trying all.

    items (Sequence[Item]): Entities.
    others (Sequence[Item]): Others, in the same offsets.
    YIELDS (tuple[int, int]): The numbers of the one and of the other; some pairs that lie apart
        may be among them.
    """
    order = sorted(range(len(others)), key=lambda j: others[j][1][0][0])
    starts = [others[j][1][0][0] for j in order]
    # the farthest end so far ascends as the starts do
    ends = list(accumulate((others[j][1][-1][1] for j in order), max))
    for i, (_, fragments) in enumerate(items):
        first = bisect_left(ends, fragments[0][0])
        last = bisect_right(starts, fragments[-1][1])
        for j in order[first:last]:
            yield i, j


def n_shared(first: Fragments, second: Fragments) -> int:
    """Count what two entities have in common.

    first (Fragments): Fragments of the one.
    second (Fragments): Fragments of the other, in the same offsets.
    RETURNS (int): The number of positions that lie in both.
    """
    if first[-1][1] <= second[0][0] or second[-1][1] <= first[0][0]:
        return 0
    return sum(
        max(min(end, other_end) - max(start, other_start), 0)
        for start, end in first
        for other_start, other_end in second
    )


def _overlapping(gold: set[Item], predicted: set[Item]) -> Iterator[tuple[float, Item, Item]]:
    # minus the share of common characters, so that sorting puts the largest first
    items, others = list(gold), list(predicted)
    for i, j in meeting_extents(items, others):
        item, other = items[i], others[j]
        common = n_shared(item[1], other[1])
        if common:
            yield -common / (_size(item[1]) + _size(other[1]) - common), item, other


def _pair(
    pairs: list[tuple[float, Item, Item]], credit: Callable[[Item, Item], float] = lambda g, p: 1.0
) -> float:
    taken: tuple[set[Item], set[Item]] = (set(), set())
    total = 0.0
    for _, gold, predicted in pairs:
        if gold not in taken[0] and predicted not in taken[1]:
            taken[0].add(gold)
            taken[1].add(predicted)
            total += credit(gold, predicted)
    return total


def _size(fragments: Fragments) -> int:
    return sum(end - start for start, end in fragments)
