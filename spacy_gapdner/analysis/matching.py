"""Comparison of predicted and gold entities: partial matches and kinds of errors.

Two entities overlap if their fragments share a character other than whitespace. Text in gaps is
ignored. Entities are paired one to one, in descending order of overlap (shared positions divided by
the positions of both).

Partial matches follow SemEval-2013 task 9. Entities without an exact match are errors. A pair of
them is one error:

wrong type: The fragments are the same, but not the type.
wrong boundary: The same type and number of fragments, and corresponding fragments overlap.
wrong linking: The type is the same and the entities overlap, but their fragments do not correspond.
    A fragment is missing or spurious, or a gap is filled or opened.

Each entity without a partner is one error:

wrong linking: A prediction that recombines fragments of gold entities of its type.
missed: A gold entity.
spurious: Any other prediction.

Entities that overlap, but differ in type and fragments, are not paired.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from ..entities import Fragments
from ..formats.records import TextEntity
from ..scorer import Counts, Mention, Positions

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
MISSED = "missed"
SPURIOUS = "spurious"
# in the order of reports
KINDS = (MISSED, SPURIOUS, WRONG_TYPE, WRONG_BOUNDARY, WRONG_LINKING)


def count_matches(gold: Collection[Mention], predicted: Collection[Mention]) -> dict[str, Counts]:
    """RETURNS (dict[str, Counts]): The counts of an example by measure. See `MATCHES`."""
    gold, predicted = sorted(gold), sorted(predicted)
    pairs = {
        "exact": _pair_best(gold, predicted, lambda g, p: g[1] == p[1]),
        "type": _pair_best(gold, predicted, lambda g, p: g[0] == p[0]),
    }
    counts = {name: Counts(len(both), len(predicted), len(gold)) for name, both in pairs.items()}
    return counts | {"partial": count_partial(gold, predicted)}


def count_partial(gold: Collection[Mention], predicted: Collection[Mention]) -> Counts:
    """RETURNS (Counts): A credit of 1 for the same fragments, 0.5 for an overlap, of any type."""
    pairs = _pair_best(sorted(gold), sorted(predicted), lambda g, p: True)
    credit = sum(1.0 if g[1] == p[1] else 0.5 for g, p in pairs)
    return Counts(credit, len(predicted), len(gold))


def find_errors(gold: Collection[Mention], predicted: Collection[Mention]) -> list[Error]:
    """RETURNS (list[Error]): The errors in text order. Duplicate entities are ignored."""
    missed = sorted(set(gold) - set(predicted), key=_text_order)
    incorrect = sorted(set(predicted) - set(gold), key=_text_order)
    pairs = _pair_best(missed, incorrect, lambda g, p: g[0] == p[0] or g[1] == p[1])
    errors: list[Error] = [(_pair_kind(*pair), *pair) for pair in pairs]
    paired = {item for pair in pairs for item in pair}
    errors += [(MISSED, item, None) for item in missed if item not in paired]
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    for item in incorrect:
        if item not in paired:
            relinked = {(item[0], fragment) for fragment in item[1]} <= gold_fragments
            errors.append((WRONG_LINKING if relinked else SPURIOUS, None, item))
    return sorted(errors, key=lambda error: _text_order(error[1] or error[2]))


def mark_items(
    gold: Collection[Mention], predicted: Collection[Mention]
) -> dict[Mention, tuple[str, str, Mention | None]]:
    """RETURNS (dict): The mark of each entity, the reason, and the entity of the other side in the
    same error. Marks are "correct", "incorrect" and "spurious" for predictions, and "correct",
    "differs" and "missed" for gold. Reasons are "type", "boundary", "linking" or empty.
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


def find_overlaps(
    items: Sequence[Mention], others: Sequence[Mention]
) -> Iterator[tuple[int, int, float]]:
    """YIELDS (tuple[int, int, float]): The indices of overlapping entities, and their overlap."""
    positions = list(map(_positions, others))
    at: dict[int, list[int]] = {}
    for j, covered in enumerate(positions):
        for position in covered:
            at.setdefault(position, []).append(j)
    for i, covered in enumerate(map(_positions, items)):
        for j in {j for position in covered for j in at.get(position, ())}:
            yield i, j, len(covered & positions[j]) / len(covered | positions[j])


def _positions(item: Mention) -> set[int]:
    # entities that only consist of whitespace have an empty fragment, and only overlap with equals
    fragments = item[1]
    return {i for start, end in fragments for i in range(start, end)} or {-1 - fragments[0][0]}


def _pair_best(
    items: Sequence[Mention], others: Sequence[Mention], fits: Callable[[Mention, Mention], bool]
) -> list[tuple[Mention, Mention]]:
    # one to one, largest overlap first
    overlaps = find_overlaps(items, others)
    free, free_others = set(range(len(items))), set(range(len(others)))
    pairs = []
    for _, i, j in sorted((-share, i, j) for i, j, share in overlaps if fits(items[i], others[j])):
        if i in free and j in free_others:
            free.remove(i)
            free_others.remove(j)
            pairs.append((items[i], others[j]))
    return pairs


def _pair_kind(gold: Mention, predicted: Mention) -> str:
    fragments, others = gold[1], predicted[1]
    if fragments == others:
        return WRONG_TYPE
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
