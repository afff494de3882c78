"""What is wrong with predicted entities: every missed gold entity and every wrong prediction gets
exactly one kind of error.

Correct entities, equal in type and tokens, are set aside. The gold entities and predictions that
remain are paired one to one, and a pair is one error:

wrong type: the same tokens, another type.
wrong boundary: the same type, as many fragments, each of which overlaps its counterpart.
wrong linking: the same type and a token in common, but the fragments do not correspond. One is
    left out or too many, a gap is filled or opened, or a fragment is another entity's.

Where an entity could be paired with several, the pair with the largest share in common (positions
in both, of those in either) is made first; among equal ones the first gold entity in text order,
then the first prediction. Positions are what fragments count: tokens, or characters as in the
scorer. What is left over is one error each:

wrong linking: a prediction whose every fragment is a fragment of a gold entity of its type, in
    another combination.
missed: a gold entity.
spurious: any other prediction.

Overlap with another type and other tokens makes no pair: the one is missed, the other spurious.
"""

from collections.abc import Collection
from typing import NamedTuple

from ..entities import Fragments
from ..scorer import Item
from .matching import meeting_extents, n_shared

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
    errors = _best_pairs(missed, wrong)
    paired = {side for error in errors for side in error[1:]}
    errors += [Error(MISSED, item, None) for item in missed if item not in paired]
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    for item in wrong:
        if item not in paired:
            relinked = {(item[0], fragment) for fragment in item[1]} <= gold_fragments
            errors.append(Error(WRONG_LINKING if relinked else SPURIOUS, None, item))
    return sorted(errors, key=_place)


def _pair_kind(gold: Item, predicted: Item) -> str | None:
    # None: nothing to compare. Equal items never get here
    (label, fragments), (other_label, others) = gold, predicted
    if fragments == others:
        return WRONG_TYPE
    if label != other_label or not n_shared(fragments, others):
        return None
    if len(fragments) == len(others) and all(
        n_shared((first,), (second,)) for first, second in zip(fragments, others, strict=True)
    ):
        return WRONG_BOUNDARY
    return WRONG_LINKING


def _best_pairs(missed: list[Item], wrong: list[Item]) -> list[Error]:
    candidates = []
    for i, j in meeting_extents(missed, wrong):
        kind = _pair_kind(missed[i], wrong[j])
        if kind is not None:
            candidates.append((-_share(missed[i][1], wrong[j][1]), i, j, kind))
    free_gold, free_predicted = set(range(len(missed))), set(range(len(wrong)))
    pairs = []
    for _, i, j, kind in sorted(candidates):
        if i in free_gold and j in free_predicted:
            free_gold.remove(i)
            free_predicted.remove(j)
            pairs.append(Error(kind, missed[i], wrong[j]))
    return pairs


def _share(first: Fragments, second: Fragments) -> float:
    # of whitespace, both are empty
    if first == second:
        return 1.0
    shared = n_shared(first, second)
    return shared / (sum(end - start for start, end in (*first, *second)) - shared)


def _place(error: Error) -> tuple[int, int, Fragments, str]:
    first, *_ = (item for item in error[1:] if item is not None)
    return _text_order(first)


def _text_order(item: Item) -> tuple[int, int, Fragments, str]:
    label, fragments = item
    return fragments[0][0], fragments[-1][1], fragments, label
