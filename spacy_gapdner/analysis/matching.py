"""Comparison of predicted and gold entities: partial matches and kinds of errors.

Two entities overlap if their fragments share a character other than whitespace. Text in gaps is
ignored. Entities are paired one to one, in descending order of overlap (shared positions divided by
the positions of both).

Partial matches follow SemEval-2013 task 9. Entities without an exact match are errors. A pair of
them is one error:

wrong type: The fragments are the same, but not the type.
wrong boundary: The type and the number of fragments are the same, and corresponding fragments
    overlap.
wrong linking: The type is the same and the entities overlap, but their fragments do not correspond.
    A fragment is missing or spurious, or a gap is filled or opened.

Each entity without a partner is one error:

wrong linking: A prediction that recombines fragments of gold entities of its type.
missed: A gold entity.
spurious: Any other prediction.

Entities that overlap, but differ in type and fragments, are not paired.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..entities import Fragments
from ..scorer import Comparison, Counts, Item

# measures of partial matches and their names in reports
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
# kinds of errors and their explanations, in the order of reports
KINDS = {
    MISSED: "a gold entity that was not predicted",
    SPURIOUS: "a prediction that is not annotated",
    WRONG_TYPE: "correct fragments, but another type",
    WRONG_BOUNDARY: "correct type and number of fragments, and all fragments overlap, but other "
    "tokens",
    WRONG_LINKING: "correct type, but the fragments are combined differently: fragments are "
    "missing, added, joined across a gap, or belong to another entity",
}


def count_matches(compared: Comparison) -> dict[str, Counts]:
    """RETURNS (dict[str, Counts]): The counts of an example by measure. See `MATCHES`."""
    gold, predicted = sorted(compared.gold), sorted(compared.predicted)
    equal = Counter(f for _, f in gold) & Counter(f for _, f in predicted)
    overlapping = _pair_best(gold, predicted, lambda g, p: True)
    credits = {
        "exact": equal.total(),
        "partial": sum(1.0 if g[1] == p[1] else 0.5 for g, p in overlapping),
        "type": len(_pair_best(gold, predicted, lambda g, p: g[0] == p[0])),
    }
    return {name: Counts(credit, len(predicted), len(gold)) for name, credit in credits.items()}


def mark_items(gold: Sequence[Item], predicted: Sequence[Item]) -> tuple[list[str], list[str]]:
    """Mark gold and predicted entities as correct or not.

    gold (Sequence[Item]): Types and fragments of the gold entities.
    predicted (Sequence[Item]): Types and fragments of the predictions, in the same offsets.
    RETURNS (tuple[list[str], list[str]]): The marks of gold entities and of predictions. Entities
        in both are "correct". Other gold entities are "incorrect" if an incorrect prediction
        overlaps, or else "missed". Other predictions are "incorrect" if a gold entity overlaps, or
        else "spurious".
    """
    correct = set(gold) & set(predicted)
    found, touching = set(), set()
    for i, j in _meeting_extents(gold, predicted):
        if _share(gold[i][1], predicted[j][1]):
            touching.add(j)
            if predicted[j] not in correct:
                found.add(i)

    def mark(item: Item, overlaps: bool, otherwise: str) -> str:
        return "correct" if item in correct else "incorrect" if overlaps else otherwise

    return (
        [mark(item, i in found, "missed") for i, item in enumerate(gold)],
        [mark(item, j in touching, "spurious") for j, item in enumerate(predicted)],
    )


class Error(NamedTuple):
    """An error. At most one of its entities is None.

    kind (str): One of `KINDS`.
    gold (Optional[Item]): The gold entity.
    predicted (Optional[Item]): The prediction.
    """

    kind: str
    gold: Item | None
    predicted: Item | None


def find_errors(gold: Collection[Item], predicted: Collection[Item]) -> list[Error]:
    """Find the errors in a text. Duplicate entities are ignored.

    gold (Collection[Item]): Types and fragments of the gold entities.
    predicted (Collection[Item]): Types and fragments of the predictions, in the same offsets.
    RETURNS (list[Error]): The errors in text order.
    """
    missed = sorted(set(gold) - set(predicted), key=_text_order)
    incorrect = sorted(set(predicted) - set(gold), key=_text_order)
    pairs = _pair_best(missed, incorrect, lambda g, p: g[0] == p[0] or g[1] == p[1])
    errors = [Error(_pair_kind(*pair), *pair) for pair in pairs]
    paired = {side for error in errors for side in error[1:]}
    errors += [Error(MISSED, item, None) for item in missed if item not in paired]
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    for item in incorrect:
        if item not in paired:
            relinked = {(item[0], fragment) for fragment in item[1]} <= gold_fragments
            errors.append(Error(WRONG_LINKING if relinked else SPURIOUS, None, item))
    return sorted(errors, key=lambda error: _text_order(error.gold or error.predicted))


def _pair_best(
    items: Sequence[Item], others: Sequence[Item], fits: Callable[[Item, Item], bool]
) -> list[tuple[Item, Item]]:
    # one to one, largest overlap first
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
    # includes all pairs whose extents overlap or touch, without comparing every pair
    order = sorted(range(len(others)), key=lambda j: others[j][1][0][0])
    starts = [others[j][1][0][0] for j in order]
    ends = list(accumulate((others[j][1][-1][1] for j in order), max))
    for i, (_, fragments) in enumerate(items):
        first = bisect_left(ends, fragments[0][0])
        last = bisect_right(starts, fragments[-1][1])
        for j in order[first:last]:
            yield i, j


def n_shared(first: Fragments, second: Fragments) -> int:
    """RETURNS (int): The number of positions in the fragments of both entities."""
    if first[-1][1] <= second[0][0] or second[-1][1] <= first[0][0]:
        return 0
    return sum(
        max(min(end, other_end) - max(start, other_start), 0)
        for start, end in first
        for other_start, other_end in second
    )


def _share(first: Fragments, second: Fragments) -> float:
    # entities that only consist of whitespace have empty ranges
    if first == second:
        return 1.0
    shared = n_shared(first, second)
    if not shared:
        return 0.0
    return shared / (sum(end - start for start, end in (*first, *second)) - shared)


def _pair_kind(gold: Item, predicted: Item) -> str:
    fragments, others = gold[1], predicted[1]
    if fragments == others:
        return WRONG_TYPE
    if len(fragments) == len(others) and all(
        n_shared((first,), (second,)) for first, second in zip(fragments, others, strict=True)
    ):
        return WRONG_BOUNDARY
    return WRONG_LINKING


def _text_order(item: Item | None) -> tuple[int, int, Fragments, str]:
    assert item is not None
    label, fragments = item
    return fragments[0][0], fragments[-1][1], fragments, label
