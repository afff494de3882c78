"""Compare predicted and gold entities: partial matches and kinds of errors.

Two entities overlap if their fragments share a character other than whitespace. Text in gaps is
ignored. Entities are paired one to one, in descending order of overlap (shared positions divided by
the positions of both). Of the entities that share a position, the first 100 are compared.

Partial matches follow SemEval-2013 task 9. Entities without an exact match are errors, and a pair
of them is one error. A prediction without a partner that recombines fragments of gold entities of
its type is a wrong linking. project/docs/scores.md defines the other kinds.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from ..entities import Fragments
from ..formats.records import TextEntity
from ..pipe.scorer import Counts, Mention, Positions

# entities of a side that are compared per position, so that pairs do not grow quadratically
_MOST_COMPARED = 100
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


def count_matches(gold: Collection[Mention], predicted: Collection[Mention]) -> dict[str, Counts]:
    """RETURNS (dict[str, Counts]): The counts of an example by measure. See `MATCHES`."""
    exact = Counter(fragments for _, fragments in gold)
    exact &= Counter(fragments for _, fragments in predicted)
    same_type, *_ = _pair(sorted(gold), sorted(predicted), lambda g, p: g.label == p.label)
    return {
        "exact": Counts(exact.total(), len(predicted), len(gold)),
        "type": Counts(len(same_type), len(predicted), len(gold)),
        "partial": count_partial(gold, predicted),
    }


def count_partial(gold: Collection[Mention], predicted: Collection[Mention]) -> Counts:
    """RETURNS (Counts): A credit of 1 for the same fragments, 0.5 for an overlap, of any type."""
    pairs, *_ = _pair(sorted(gold), sorted(predicted), lambda g, p: True)
    credit = sum(1.0 if g.fragments == p.fragments else 0.5 for g, p in pairs)
    return Counts(credit, len(predicted), len(gold))


def find_errors(gold: Collection[Mention], predicted: Collection[Mention]) -> list[Error]:
    """RETURNS (list[Error]): The errors in text order. Duplicate entities are ignored."""
    missed = sorted(set(gold) - set(predicted), key=_text_order)
    incorrect = sorted(set(predicted) - set(gold), key=_text_order)
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    pairs, missed, rest = _pair(
        missed, incorrect, lambda g, p: g.label == p.label or g.fragments == p.fragments
    )
    relinked = {i for i in rest if {(i.label, f) for f in i.fragments} <= gold_fragments}
    rest = [item for item in rest if item not in relinked]
    others, missed, spurious = _pair(missed, rest, lambda g, p: True)
    errors: list[Error] = [(_pair_kind(*pair), *pair) for pair in (*pairs, *others)]
    errors += [(MISSED, item, None) for item in missed]
    errors += [(WRONG_LINKING, None, item) for item in relinked]
    errors += [(SPURIOUS, None, item) for item in spurious]
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


def index_positions(items: Sequence[Mention]) -> dict[int, list[int]]:
    """RETURNS (dict[int, list[int]]): The indices of the entities that contain each position."""
    at: dict[int, list[int]] = {}
    for number, item in enumerate(items):
        for position in positions_of(item):
            at.setdefault(position, []).append(number)
    return at


def positions_of(item: Mention) -> set[int]:
    """RETURNS (set[int]): The positions in fragments. Two entities overlap if they share one."""
    # entities of whitespace have an empty fragment, and overlap only with equal entities
    fragments = item.fragments
    return {i for start, end in fragments for i in range(start, end)} or {-1 - fragments[0][0]}


def _pair(
    items: Sequence[Mention], others: Sequence[Mention], fits: Callable[[Mention, Mention], bool]
) -> tuple[list[tuple[Mention, Mention]], list[Mention], list[Mention]]:
    # one to one, largest overlap first, then in order; then the entities without a partner
    at, at_others = index_positions(items), index_positions(others)
    shared = Counter(
        (i, j)
        for position in at.keys() & at_others
        for i in at[position][:_MOST_COMPARED]
        for j in at_others[position][:_MOST_COMPARED]
    )
    sizes, other_sizes = ([len(positions_of(item)) for item in side] for side in (items, others))
    ranked = sorted(
        (-n / (sizes[i] + other_sizes[j] - n), i, j)
        for (i, j), n in shared.items()
        if fits(items[i], others[j])
    )
    pairs = []
    free, free_others = dict(enumerate(items)), dict(enumerate(others))
    for _, i, j in ranked:
        if i in free and j in free_others:
            pairs.append((free.pop(i), free_others.pop(j)))
    return pairs, list(free.values()), list(free_others.values())


def _pair_kind(gold: Mention, predicted: Mention) -> str:
    fragments, others = gold.fragments, predicted.fragments
    if gold.label != predicted.label:
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


def to_text_entity(item: Mention, positions: Positions, score: float | None = None) -> TextEntity:
    """RETURNS (TextEntity): An entity with its character offsets, and its own text."""
    fragments = positions.char_offsets(item)
    texts = (positions.text[start:end].split() for start, end in fragments)
    surface = " … ".join(map(" ".join, texts))
    return TextEntity(item.label, fragments, surface=surface, score=score)
