import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy_gapdner.analysis.errors import (
    KINDS,
    MISSED,
    SPURIOUS,
    WRONG_BOUNDARY,
    WRONG_LINKING,
    WRONG_TYPE,
    Error,
    find_errors,
)

from spacy_gapdner.analysis import errors as errors_module
from spacy_gapdner.analysis.matching import n_shared
from spacy_gapdner.entities import Entity


def item(label, *tokens):
    return label, Entity.from_tokens(label, tokens).fragments


# severe joint , shoulder and upper body pain
JOINT = item("ADE", 0, 1, 7)
SHOULDER = item("ADE", 0, 3, 7)
BODY = item("ADE", 0, 5, 6, 7)
GOLD = [JOINT, SHOULDER, BODY]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (GOLD, []),
        # one of them as two entities: the larger piece is its prediction, the other is left over
        (
            [item("ADE", 0, 1), item("ADE", 7), SHOULDER, BODY],
            [
                (WRONG_LINKING, JOINT, item("ADE", 0, 1)),
                (WRONG_LINKING, None, item("ADE", 7)),
            ],
        ),
        # one without its last fragment
        ([JOINT, item("ADE", 0, 3), BODY], [(WRONG_LINKING, SHOULDER, item("ADE", 0, 3))]),
        # all gaps filled: most in common with the longest
        (
            [item("ADE", *range(8))],
            [
                (MISSED, SHOULDER, None),
                (WRONG_LINKING, BODY, item("ADE", *range(8))),
                (MISSED, JOINT, None),
            ],
        ),
        # all found, and a path that mixes fragments of two
        ([*GOLD, item("ADE", 0, 7)], [(WRONG_LINKING, None, item("ADE", 0, 7))]),
        # all found, and something that is not made of their fragments
        ([*GOLD, item("ADE", 1, 7)], [(SPURIOUS, None, item("ADE", 1, 7))]),
        # without "upper"
        ([JOINT, SHOULDER, item("ADE", 0, 6, 7)], [(WRONG_BOUNDARY, BODY, item("ADE", 0, 6, 7))]),
        # the right fragments, another type
        ([item("DRUG", 0, 1, 7), SHOULDER, BODY], [(WRONG_TYPE, JOINT, item("DRUG", 0, 1, 7))]),
        # only the last words, as one entity
        (
            [JOINT, SHOULDER, item("ADE", 5, 6, 7)],
            [(WRONG_LINKING, BODY, item("ADE", 5, 6, 7))],
        ),
        ([], [(MISSED, SHOULDER, None), (MISSED, BODY, None), (MISSED, JOINT, None)]),
    ],
)
def test_the_example_of_the_paper(predicted, expected):
    assert find_errors(GOLD, predicted) == [Error(*error) for error in expected]


@pytest.mark.parametrize(
    ("gold", "predicted", "kind"),
    [
        ([3], [3, 4], WRONG_BOUNDARY),
        ([3, 4], [4, 5], WRONG_BOUNDARY),
        ([1, 2, 5], [0, 1, 5, 6], WRONG_BOUNDARY),
        # a gap moved, but fragments face fragments
        ([0, 1, 5], [0, 3, 4, 5], WRONG_BOUNDARY),
        # a fragment is another's
        ([0, 1, 5], [0, 1, 7], WRONG_LINKING),
        ([0, 1, 5], [0, 3, 5], WRONG_LINKING),
        # two fragments each, one of which faces none of the other's
        ([0, 2, 3], [3, 5], WRONG_LINKING),
        # a gap opened
        ([3, 4, 5], [3, 5], WRONG_LINKING),
        # a gap filled
        ([3, 5], [3, 4, 5], WRONG_LINKING),
    ],
)
def test_pairs(gold, predicted, kind):
    gold_item, predicted_item = item("A", *gold), item("A", *predicted)
    assert find_errors([gold_item], [predicted_item]) == [Error(kind, gold_item, predicted_item)]


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        (item("A", 0), item("A", 1)),
        # interleaved, no token in common
        (item("A", 0, 2), item("A", 1, 3)),
        # neither type nor tokens are right
        (item("A", 0, 1), item("B", 1, 2)),
    ],
)
def test_no_pairs(gold, predicted):
    assert find_errors([gold], [predicted]) == [
        Error(MISSED, gold, None),
        Error(SPURIOUS, None, predicted),
    ]


def test_best_pair_first():
    gold, near, far = item("A", 0, 1, 2, 3), item("A", 1, 2, 3), item("A", 2, 3)
    assert find_errors([gold], [far, near]) == [
        Error(WRONG_BOUNDARY, gold, near),
        Error(SPURIOUS, None, far),
    ]


def test_ties_in_text_order():
    gold, first, second = item("A", 1, 2), item("A", 1), item("A", 2)
    assert find_errors([gold], [second, first]) == [
        Error(WRONG_BOUNDARY, gold, first),
        Error(SPURIOUS, None, second),
    ]
    assert find_errors([first, second], [gold]) == [
        Error(WRONG_BOUNDARY, first, gold),
        Error(MISSED, second, None),
    ]


def test_a_correct_entity_is_no_partner():
    gold, wrong = item("A", 0, 1), item("A", 0)
    assert find_errors([gold], [gold, wrong]) == [Error(SPURIOUS, None, wrong)]
    # nor is it where the types of the same tokens are two
    both = [item("A", 0), item("B", 0)]
    assert find_errors(both[:1], both) == [Error(SPURIOUS, None, both[1])]


def test_fragments_of_contiguous_entities_linked():
    gold = [item("A", 0), item("A", 3)]
    joined = item("A", 0, 3)
    # it is the first one's prediction
    assert find_errors(gold, [joined]) == [
        Error(WRONG_LINKING, gold[0], joined),
        Error(MISSED, gold[1], None),
    ]
    assert find_errors(gold, [*gold, joined]) == [Error(WRONG_LINKING, None, joined)]


def test_nothing():
    assert find_errors([], []) == []


ITEMS = st.lists(
    st.builds(
        lambda label, tokens: item(label, *tokens),
        st.sampled_from(["A", "B"]),
        st.sets(st.integers(0, 7), min_size=1, max_size=5),
    ),
    max_size=6,
)


@given(ITEMS, ITEMS, ITEMS)
def test_every_entity_has_one_outcome(gold, predicted, both):
    gold, predicted = gold + both, predicted + both
    errors = find_errors(gold, predicted)
    not_found = [error.gold for error in errors if error.gold is not None]
    wrong = [error.predicted for error in errors if error.predicted is not None]
    assert sorted(not_found) == sorted(set(gold) - set(predicted))
    assert sorted(wrong) == sorted(set(predicted) - set(gold))
    assert {error.kind for error in errors} <= set(KINDS)


@given(ITEMS, ITEMS)
def test_kinds_by_their_definitions(gold, predicted):
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    errors = find_errors(gold, predicted)
    for kind, missed, wrong in errors:
        if missed is None:
            assert wrong is not None
            made_of_gold = all((wrong[0], fragment) in gold_fragments for fragment in wrong[1])
            assert kind == (WRONG_LINKING if made_of_gold else SPURIOUS)
        elif wrong is None:
            assert kind == MISSED
        else:
            assert (missed[1] == wrong[1]) == (missed[0] != wrong[0]) == (kind == WRONG_TYPE)
            assert n_shared(missed[1], wrong[1])
            if len(missed[1]) != len(wrong[1]):
                assert kind == WRONG_LINKING
    # two that are left over cannot be compared
    for missed in (error.gold for error in errors if error.kind == MISSED):
        for wrong in (error.predicted for error in errors if error.gold is None):
            assert missed[1] != wrong[1]
            assert missed[0] != wrong[0] or not n_shared(missed[1], wrong[1])


@given(ITEMS, ITEMS, st.randoms())
def test_order_does_not_matter(gold, predicted, random):
    errors = find_errors(gold, predicted)
    random.shuffle(gold)
    random.shuffle(predicted)
    assert find_errors(gold, predicted) == errors


def test_thousands_of_entities_are_not_all_compared(monkeypatch):
    # ten tokens apart, each with a prediction a token longer
    gold = [item("A", n, n + 1) for n in range(0, 50_000, 10)]
    predicted = [item("A", n, n + 1, n + 2) for n in range(0, 50_000, 10)]
    compared = []
    pair_kind = errors_module._pair_kind
    monkeypatch.setattr(
        errors_module, "_pair_kind", lambda *pair: (compared.append(1), pair_kind(*pair))[1]
    )
    errors = find_errors(gold, predicted)
    assert {error.kind for error in errors} == {WRONG_BOUNDARY}
    assert len(errors) == 5000
    assert len(compared) == 5000
