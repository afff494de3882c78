"""Compare predicted and gold entities: partial matches and kinds of errors.

Two entities overlap if their fragments share a character other than whitespace. Text in gaps is
ignored. Entities are paired one to one, in descending order of overlap (shared positions divided by
the positions of both).

Partial matches follow SemEval-2013 task 9. Entities without an exact match are errors. A pair of
them is one error:

wrong type: The fragments are the same, but not the type.
wrong boundary: The same type and number of fragments, and corresponding fragments overlap.
wrong linking: The type is the same and the entities overlap, but their fragments do not correspond.
    A fragment is missing or spurious, or a gap is filled or opened.
wrong type and boundary: The entities overlap, but differ in type and fragments.

Each entity without a partner is one error:

wrong linking: A prediction that recombines fragments of gold entities of its type.
missed: A gold entity.
spurious: Any other prediction.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from heapq import heapify, heappop, heappush
from operator import itemgetter
from typing import Any

from ..entities import Fragments
from ..formats.records import TextEntity
from ..pipe.scorer import Counts, Mention, Positions

_Pair = tuple[Mention, Mention]
# what entities must have in common to be paired
_Key = Callable[[Mention], Any]
_LABEL, _FRAGMENTS, _BOTH = itemgetter(0), itemgetter(1), itemgetter(0, 1)
# a position with more pairs of entities is crowded
_CROWD = 2**10
# measures of partial matches and their names in reports
MATCHES = {
    "exact": "Same fragments, any type",
    "partial": "Overlap, any type, half if not exact",
    "type": "Overlap, same type",
}
# the kind, the gold entity and the prediction; at most one of them is None
Error = tuple[str, Mention | None, Mention | None]
WRONG_TYPE = "wrong type"
WRONG_BOUNDARY = "wrong boundary"
WRONG_LINKING = "wrong linking"
WRONG_BOTH = "wrong type and boundary"
MISSED = "missed"
SPURIOUS = "spurious"
# in the order of reports
KINDS = (MISSED, SPURIOUS, WRONG_TYPE, WRONG_BOUNDARY, WRONG_LINKING, WRONG_BOTH)


def _any_type(item: Mention) -> str:
    return ""


def count_matches(gold: Collection[Mention], predicted: Collection[Mention]) -> dict[str, Counts]:
    """RETURNS (dict[str, Counts]): The counts of an example by measure. See `MATCHES`."""
    gold, predicted = sorted(gold), sorted(predicted)
    pairs = {
        "exact": _pair_equal(gold, predicted, _FRAGMENTS),
        "type": _pair_best(gold, predicted, _BOTH, _LABEL),
    }
    counts = {name: Counts(len(both), len(predicted), len(gold)) for name, both in pairs.items()}
    return counts | {"partial": count_partial(gold, predicted)}


def count_partial(gold: Collection[Mention], predicted: Collection[Mention]) -> Counts:
    """RETURNS (Counts): A credit of 1 for the same fragments and 0.5 for an overlap. Types are
    ignored."""
    pairs = _pair_best(sorted(gold), sorted(predicted), _FRAGMENTS, _any_type)
    credit = sum(1.0 if g[1] == p[1] else 0.5 for g, p in pairs)
    return Counts(credit, len(predicted), len(gold))


def find_errors(gold: Collection[Mention], predicted: Collection[Mention]) -> list[Error]:
    """RETURNS (list[Error]): The errors in text order. Duplicate entities are ignored."""
    missed = sorted(set(gold) - set(predicted), key=_text_order)
    incorrect = sorted(set(predicted) - set(gold), key=_text_order)
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    pairs = _pair_best(missed, incorrect, _FRAGMENTS, _LABEL)
    missed, incorrect = _unpaired(pairs, missed, incorrect)
    relinked = {i for i in incorrect if {(i[0], fragment) for fragment in i[1]} <= gold_fragments}
    pairs += _pair_overlapping(missed, [item for item in incorrect if item not in relinked])
    missed, incorrect = _unpaired(pairs, missed, incorrect)
    errors: list[Error] = [(_pair_kind(*pair), *pair) for pair in pairs]
    errors += [(MISSED, item, None) for item in missed]
    errors += [(WRONG_LINKING if i in relinked else SPURIOUS, None, i) for i in incorrect]
    return sorted(errors, key=lambda error: _text_order(error[1] or error[2]))


def mark_items(
    gold: Collection[Mention], predicted: Collection[Mention]
) -> dict[Mention, tuple[str, str, Mention | None]]:
    """RETURNS (dict): The mark of each entity, the reason, and the entity of the other side in the
    same error. Marks are "correct", "incorrect" and "spurious" for predictions, and "correct",
    "differs" and "missed" for gold. Reasons are "type", "boundary", "linking", "type and boundary"
    or empty.
    """
    marks: dict[Mention, tuple[str, str, Mention | None]]
    marks = dict.fromkeys((*gold, *predicted), ("correct", "", None))
    for kind, missed, found in find_errors(gold, predicted):
        is_pair = kind not in (MISSED, SPURIOUS)
        reason = kind.removeprefix("wrong ") if is_pair else ""
        if missed is not None:
            marks[missed] = "differs" if is_pair else kind, reason, found
        if found is not None:
            marks[found] = "incorrect" if is_pair else kind, reason, missed
    return marks


def index_positions(items: Sequence[Mention], limit: int | None = None) -> dict[int, list[int]]:
    """RETURNS (dict[int, list[int]]): The indices of the entities that contain each position, or of
    the first `limit` of them.
    """
    at: dict[int, list[int]] = {}
    for number, item in enumerate(items):
        for position in positions_of(item):
            found = at.setdefault(position, [])
            if limit is None or len(found) < limit:
                found.append(number)
    return at


def positions_of(item: Mention) -> set[int]:
    """RETURNS (set[int]): The positions in fragments. Two entities overlap if they share one."""
    # entities of whitespace have an empty fragment, and overlap only with equal entities
    fragments = item[1]
    return {i for start, end in fragments for i in range(start, end)} or {-1 - fragments[0][0]}


def _pair_best(
    items: Sequence[Mention], others: Sequence[Mention], equal: _Key, near: _Key
) -> list[_Pair]:
    # One to one, largest overlap first, then in order. Entities with the same positions must have
    # the same `equal`, others the same `near`.
    pairs = _pair_equal(items, others, equal)
    items, others = _unpaired(pairs, items, others)
    rest: dict[Any, tuple[list[Mention], list[Mention]]] = {}
    for item in items:
        rest.setdefault(near(item), ([], []))[0].append(item)
    for other in others:
        if near(other) in rest:
            rest[near(other)][1].append(other)
    return pairs + [pair for sides in rest.values() for pair in _pair_overlapping(*sides)]


def _unpaired(pairs: Sequence[_Pair], *sides: Sequence[Mention]) -> Iterator[list[Mention]]:
    for side, items in enumerate(sides):
        paired = {pair[side] for pair in pairs}
        yield [item for item in items if item not in paired]


def _pair_equal(items: Sequence[Mention], others: Sequence[Mention], key: _Key) -> list[_Pair]:
    waiting: dict[Any, list[Mention]] = {}
    for other in reversed(others):
        waiting.setdefault(key(other), []).append(other)
    return [(item, waiting[key(item)].pop()) for item in items if waiting.get(key(item))]


def _pair_overlapping(items: Sequence[Mention], others: Sequence[Mention]) -> list[_Pair]:
    covered, covered_others = list(map(positions_of, items)), list(map(positions_of, others))
    at, at_others = index_positions(items), index_positions(others)
    at = {position: numbers for position, numbers in at.items() if position in at_others}
    # Pairs would grow quadratically at crowded positions. Entities with the same crowded positions
    # and the same length have equal overlaps, unless they share other positions, too. So groups of
    # them are compared, and pairs that share other positions, whose overlap is larger, come first.
    crowded = {p for p, numbers in at.items() if len(numbers) * len(at_others[p]) > _CROWD}
    groups, other_groups = (_group(sets, crowded) for sets in (covered, covered_others))
    nothing: deque[int] = deque()
    queue: list[tuple[float, int, int, deque[int], deque[int]]] = []
    for i, j in {(i, j) for p in at.keys() - crowded for i in at[p] for j in at_others[p]}:
        queue.append((-_share(covered[i], covered_others[j]), i, j, nothing, nothing))
    for (common, size), first in groups.items():
        for (other_common, other_size), second in other_groups.items():
            if shared := len(common & other_common):
                share = shared / (size + other_size - shared)
                queue.append((-share, first[0], second[0], first, second))
    heapify(queue)
    pairs: list[_Pair] = []
    taken: set[int] = set()
    taken_others: set[int] = set()
    while queue:
        share, i, j, first, second = heappop(queue)
        if i not in taken and j not in taken_others:
            pairs.append((items[i], others[j]))
            taken.add(i)
            taken_others.add(j)
        while first and first[0] in taken:
            first.popleft()
        while second and second[0] in taken_others:
            second.popleft()
        if first and second:
            heappush(queue, (share, first[0], second[0], first, second))
    return pairs


def _group(
    covered: Sequence[set[int]], crowded: set[int]
) -> dict[tuple[frozenset[int], int], deque[int]]:
    groups: dict[tuple[frozenset[int], int], deque[int]] = {}
    for number, positions in enumerate(covered):
        if common := positions & crowded:
            groups.setdefault((frozenset(common), len(positions)), deque()).append(number)
    return groups


def _share(covered: set[int], others: set[int]) -> float:
    return len(covered & others) / len(covered | others)


def _pair_kind(gold: Mention, predicted: Mention) -> str:
    fragments, others = gold[1], predicted[1]
    if gold[0] != predicted[0]:
        return WRONG_TYPE if fragments == others else WRONG_BOTH
    if len(fragments) == len(others) and all(
        max(start, other_start) < min(end, other_end)
        for (start, end), (other_start, other_end) in zip(fragments, others, strict=True)
    ):
        return WRONG_BOUNDARY
    return WRONG_LINKING


def _text_order(item: Mention | None) -> tuple[int, int, Fragments, str]:
    assert item is not None
    label, fragments = item
    return fragments[0][0], fragments[-1][1], fragments, label


def to_text_entity(
    item: Mention, positions: Positions, text: str, score: float | None = None
) -> TextEntity:
    """RETURNS (TextEntity): An entity with its character offsets in a text, and its own text."""
    fragments = positions.char_offsets(item)
    surface = " … ".join(" ".join(text[start:end].split()) for start, end in fragments)
    return TextEntity(item[0], fragments, surface=surface, score=score)
