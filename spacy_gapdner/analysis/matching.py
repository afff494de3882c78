"""Predicted entities against gold ones: credit for what is nearly right, and kinds of errors.

Two entities overlap if they share a character other than whitespace of their fragments; what lies
in a gap belongs to no entity. Entities are paired one to one: pairs with the largest share in
common (positions in both, of those in either) go first.

The credit follows SemEval-2013 task 9. Errors are those of the entities that are not equal in type
and fragments. A pair of them is one error:

wrong type: the same fragments, another type.
wrong boundary: the same type, as many fragments, each of which overlaps its counterpart.
wrong linking: the same type and an overlap, but the fragments do not correspond. One is left out
    or too many, a gap is filled or opened, or a fragment is another entity's.

What is left over is one error each:

wrong linking: a prediction whose every fragment is a fragment of a gold entity of its type, in
    another combination.
missed: a gold entity.
spurious: any other prediction.

Overlap with another type and other fragments makes no pair: the one is missed, the other spurious.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from ..entities import Fragments
from ..scorer import Comparison, Item

# what a pair of entities has to agree in, with what reports call it
MATCHES = {
    "exact": "Same fragments, any type",
    "partial": "Overlap, any type, half if not exact",
    "type": "Overlap, same type",
}
WRONG_TYPE = "wrong type"
WRONG_BOUNDARY = "wrong boundary"
WRONG_LINKING = "wrong linking"
MISSED = "missed"
SPURIOUS = "spurious"
# in the order of reports, each in one line
KINDS = {
    MISSED: "a gold entity that no wrong prediction comes near",
    SPURIOUS: "a prediction that comes near no missed gold entity",
    WRONG_TYPE: "the tokens of a gold entity, but another type",
    WRONG_BOUNDARY: "right type and as many fragments as the gold entity, each overlapping its "
    "counterpart, but not the same tokens",
    WRONG_LINKING: "right type and some of the tokens, but other fragments: left out, added, "
    "joined across a gap, or another entity's",
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
            "p": self.correct / max(self.predicted, 1),
            "r": self.correct / max(self.gold, 1),
            "f": 2 * self.correct / (self.predicted + self.gold),
        }


@dataclass
class MatchTally:
    """The counts of all measures of MATCHES.

    matches (dict[str, Match]): By measure. `exact` counts entities with the same fragments;
        `partial` those that overlap, with half the credit if the fragments differ; `type` those
        of the same type that overlap.
    """

    matches: dict[str, Match] = field(default_factory=lambda: {name: Match() for name in MATCHES})

    def add(self, compared: Comparison) -> None:
        """Count the entities of one example.

        compared (Comparison): Its entities.
        """
        gold, predicted = sorted(compared.gold), sorted(compared.predicted)
        equal = Counter(f for _, f in gold) & Counter(f for _, f in predicted)
        overlapping = _pair_best(gold, predicted, lambda g, p: True)
        credits = {
            "exact": float(equal.total()),
            "partial": sum(1.0 if g[1] == p[1] else 0.5 for g, p in overlapping),
            "type": float(len(_pair_best(gold, predicted, lambda g, p: g[0] == p[0]))),
        }
        for name, match in self.matches.items():
            match.correct += credits[name]
            match.predicted += len(predicted)
            match.gold += len(gold)


def mark_items(gold: Sequence[Item], predicted: Sequence[Item]) -> tuple[list[str], list[str]]:
    """Tell of each entity of two annotations what the other makes of it.

    gold (Sequence[Item]): Types and fragments of the gold entities.
    predicted (Sequence[Item]): The same of the predictions, in the same offsets.
    RETURNS (tuple[list[str], list[str]]): "right" for those that both have. Of the gold entities
        the others are "wrong" if a prediction that is not right overlaps, or "missed"; of the
        predictions, "wrong" if a gold entity overlaps, or "spurious".
    """
    right = set(gold) & set(predicted)
    found, touching = set(), set()
    for i, j in _meeting_extents(gold, predicted):
        if _share(gold[i][1], predicted[j][1]):
            touching.add(j)
            if predicted[j] not in right:
                found.add(i)

    def mark(item: Item, overlaps: bool, alone: str) -> str:
        return "right" if item in right else "wrong" if overlaps else alone

    return (
        [mark(item, i in found, "missed") for i, item in enumerate(gold)],
        [mark(item, j in touching, "spurious") for j, item in enumerate(predicted)],
    )


class Error(NamedTuple):
    """An error; one of its sides may be missing, never both.

    kind (str): One of `KINDS`.
    gold (Optional[Item]): The gold entity that was not found.
    predicted (Optional[Item]): The prediction that is wrong.
    """

    kind: str
    gold: Item | None
    predicted: Item | None


def find_errors(gold: Collection[Item], predicted: Collection[Item]) -> list[Error]:
    """Find the errors of one text.

    gold (Collection[Item]): Types and fragments of the gold entities; of equal ones one counts.
    predicted (Collection[Item]): The same of the predictions, in the same offsets.
    RETURNS (list[Error]): The errors in text order of their gold entities, or else predictions.
    """
    missed = sorted(set(gold) - set(predicted), key=_text_order)
    wrong = sorted(set(predicted) - set(gold), key=_text_order)
    errors = [Error(_pair_kind(*pair), *pair) for pair in _pair_best(missed, wrong, _comparable)]
    paired = {side for error in errors for side in error[1:]}
    errors += [Error(MISSED, item, None) for item in missed if item not in paired]
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    for item in wrong:
        if item not in paired:
            relinked = {(item[0], fragment) for fragment in item[1]} <= gold_fragments
            errors.append(Error(WRONG_LINKING if relinked else SPURIOUS, None, item))
    return sorted(errors, key=_place)


def _pair_best(
    items: Sequence[Item], others: Sequence[Item], fits: Callable[[Item, Item], bool]
) -> list[tuple[Item, Item]]:
    # one to one, those with the largest share in common first; of equal ones those listed first
    shares = []
    for i, j in _meeting_extents(items, others):
        share = _share(items[i][1], others[j][1])
        if share and fits(items[i], others[j]):
            shares.append((-share, i, j))
    free, free_others = set(range(len(items))), set(range(len(others)))
    pairs = []
    for _, i, j in sorted(shares):
        if i in free and j in free_others:
            free.remove(i)
            free_others.remove(j)
            pairs.append((items[i], others[j]))
    return pairs


def _meeting_extents(items: Sequence[Item], others: Sequence[Item]) -> Iterator[tuple[int, int]]:
    # the pairs whose extents overlap or touch, without trying all; some that lie apart as well
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


def _share(first: Fragments, second: Fragments) -> float:
    # of whitespace, both are empty
    if first == second:
        return 1.0
    shared = n_shared(first, second)
    if not shared:
        return 0.0
    return shared / (sum(end - start for start, end in (*first, *second)) - shared)


def _comparable(gold: Item, predicted: Item) -> bool:
    return gold[0] == predicted[0] or gold[1] == predicted[1]


def _pair_kind(gold: Item, predicted: Item) -> str:
    fragments, others = gold[1], predicted[1]
    if fragments == others:
        return WRONG_TYPE
    if len(fragments) == len(others) and all(
        n_shared((first,), (second,)) for first, second in zip(fragments, others, strict=True)
    ):
        return WRONG_BOUNDARY
    return WRONG_LINKING


def _place(error: Error) -> tuple[int, int, Fragments, str]:
    first, *_ = (item for item in error[1:] if item is not None)
    return _text_order(first)


def _text_order(item: Item) -> tuple[int, int, Fragments, str]:
    label, fragments = item
    return fragments[0][0], fragments[-1][1], fragments, label
