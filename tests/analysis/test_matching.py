import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gapdner import set_entities
from spacy_gapdner.analysis import matching, model_report, stats
from spacy_gapdner.analysis.matching import (
    MISSED,
    SPURIOUS,
    WRONG_BOTH,
    WRONG_BOUNDARY,
    WRONG_LINKING,
    WRONG_TYPE,
    count_matches,
    find_errors,
    mark_items,
)
from spacy_gapdner.entities import Entity
from spacy_gapdner.pipe.scorer import Counts, Mention


def item(label, *tokens):
    return Mention(label, Entity.from_tokens(label, tokens).fragments)


@pytest.mark.parametrize(
    ("gold", "predicted", "exact", "partial", "type_"),
    [
        ([("A", [0, 1, 4])], [("A", [0, 1, 4])], 1, 1, 1),
        ([("A", [0, 1, 4])], [("B", [0, 1, 4])], 1, 1, 0),
        # a fragment is missing
        ([("A", [0, 1, 4])], [("A", [0, 1])], 0, 0.5, 1),
        ([("A", [0, 1, 4])], [("B", [4])], 0, 0.5, 0),
        # the gap is not part of the entity
        ([("A", [0, 1, 4])], [("A", [2, 3])], 0, 0, 0),
        ([("A", [0, 1, 4])], [("A", [0, 1, 2, 3, 4])], 0, 0.5, 1),
        # interleaved without a common word
        ([("A", [0, 2])], [("A", [1, 3])], 0, 0, 0),
        # two predictions for one gold entity: only one counts
        ([("A", [0, 1, 2])], [("A", [0]), ("A", [2])], 0, 0.5, 1),
        # the largest overlap is paired first
        ([("A", [0, 1]), ("A", [1, 2, 3])], [("A", [1, 2, 3]), ("B", [0])], 1, 1.5, 1),
        # the type affects pairs
        ([("A", [0, 1]), ("B", [0, 1])], [("B", [0, 1]), ("A", [1])], 1, 1.5, 2),
        ([], [("A", [0])], 0, 0, 0),
    ],
)
def test_credit(gold, predicted, exact, partial, type_):
    gold, predicted = ([item(label, *tokens) for label, tokens in x] for x in (gold, predicted))
    n = (len(predicted), len(gold))
    credits = {"exact": exact, "partial": partial, "type": type_}
    expected = {name: Counts(correct, *n) for name, correct in credits.items()}
    assert count_matches(gold, predicted) == expected


# severe joint , shoulder and upper body pain
JOINT = item("ADE", 0, 1, 7)
SHOULDER = item("ADE", 0, 3, 7)
BODY = item("ADE", 0, 5, 6, 7)
GOLD = [JOINT, SHOULDER, BODY]
ALL_WORDS, DRUG = item("ADE", *range(8)), item("DRUG", 0, 1, 7)
ONE, TWO, BOTH, OTHER = item("A", 1), item("A", 2), item("A", 1, 2), item("B", 1)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        (GOLD, GOLD, []),
        # one is predicted as two entities: the larger one is paired
        (
            GOLD,
            [item("ADE", 0, 1), item("ADE", 7), SHOULDER, BODY],
            [(WRONG_LINKING, JOINT, item("ADE", 0, 1)), (WRONG_LINKING, None, item("ADE", 7))],
        ),
        # all gaps are filled: the longest entity has the largest overlap
        (
            GOLD,
            [ALL_WORDS],
            [(MISSED, SHOULDER, None), (WRONG_LINKING, BODY, ALL_WORDS), (MISSED, JOINT, None)],
        ),
        # all are found, plus a path that mixes fragments of two entities
        (GOLD, [*GOLD, item("ADE", 0, 7)], [(WRONG_LINKING, None, item("ADE", 0, 7))]),
        # all are found, plus an entity with another fragment
        (GOLD, [*GOLD, item("ADE", 1, 7)], [(SPURIOUS, None, item("ADE", 1, 7))]),
        (GOLD, [DRUG, SHOULDER, BODY], [(WRONG_TYPE, JOINT, DRUG)]),
        # equal overlap: the first in text order is paired
        ([BOTH], [TWO, ONE], [(WRONG_BOUNDARY, BOTH, ONE), (SPURIOUS, None, TWO)]),
        ([ONE, TWO], [BOTH], [(WRONG_BOUNDARY, ONE, BOTH), (MISSED, TWO, None)]),
        # correct entities are not paired
        ([BOTH], [BOTH, ONE], [(SPURIOUS, None, ONE)]),
        ([ONE], [ONE, OTHER], [(SPURIOUS, None, OTHER)]),
        # another type and another boundary: after pairs of the same type
        ([BOTH], [OTHER], [(WRONG_BOTH, BOTH, OTHER)]),
        ([BOTH], [OTHER, TWO], [(SPURIOUS, None, OTHER), (WRONG_BOUNDARY, BOTH, TWO)]),
    ],
)
def test_pairs_and_other_errors(gold, predicted, expected):
    assert find_errors(gold, predicted) == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "kind"),
    [
        ([1, 2, 5], [0, 1, 5, 6], WRONG_BOUNDARY),
        # a gap moved, but corresponding fragments overlap
        ([0, 1, 5], [0, 3, 4, 5], WRONG_BOUNDARY),
        ([0, 1, 5], [0, 1, 7], WRONG_LINKING),
        # two fragments each, one of which overlaps no fragment of the other entity
        ([0, 2, 3], [3, 5], WRONG_LINKING),
        # an added gap and a filled gap
        ([3, 4, 5], [3, 5], WRONG_LINKING),
        ([3, 5], [3, 4, 5], WRONG_LINKING),
    ],
)
def test_error_types_of_pairs(gold, predicted, kind):
    gold_item, predicted_item = item("A", *gold), item("A", *predicted)
    assert find_errors([gold_item], [predicted_item]) == [(kind, gold_item, predicted_item)]


def test_marks():
    near, fever, rash = item("ADE", 3, 4, 7), item("ADE", 9), item("ADE", 12)
    assert mark_items([JOINT, SHOULDER, BODY, rash], [JOINT, near, fever, item("SIGN", 12)]) == {
        JOINT: ("correct", "", None),
        SHOULDER: ("differs", "linking", near),
        near: ("incorrect", "linking", SHOULDER),
        BODY: ("missed", "", None),
        fever: ("spurious", "", None),
        rash: ("differs", "type", item("SIGN", 12)),
        item("SIGN", 12): ("incorrect", "type", rash),
    }
    # a combination of fragments of correct entities has no gold entity
    mixed = item("ADE", 0, 7)
    assert mark_items(GOLD, [*GOLD, mixed])[mixed] == ("incorrect", "linking", None)


TOKENS = st.sets(st.integers(0, 9), min_size=1, max_size=5)
ITEM = st.builds(lambda label, tokens: item(label, *tokens), st.sampled_from("AB"), TOKENS)
ITEMS = st.lists(ITEM, max_size=6)


def tokens_of(item):
    return {i for start, end in item[1] for i in range(start, end)}


@given(ITEMS, ITEMS, ITEMS, st.randoms())
def test_errors_follow_their_definitions(gold, predicted, both, random):
    gold, predicted = gold + both, predicted + both
    errors = find_errors(gold, predicted)
    not_found, incorrect = ([error[i] for error in errors if error[i]] for i in (1, 2))
    assert sorted(not_found) == sorted(set(gold) - set(predicted))
    assert sorted(incorrect) == sorted(set(predicted) - set(gold))
    gold_fragments = {(label, fragment) for label, fragments in gold for fragment in fragments}
    for kind, missed, wrong in errors:
        if missed is None:
            recombined = all((wrong[0], fragment) in gold_fragments for fragment in wrong[1])
            assert kind == (WRONG_LINKING if recombined else SPURIOUS)
        elif wrong is None:
            assert kind == MISSED
        else:
            assert (missed[0] != wrong[0]) == (kind in (WRONG_TYPE, WRONG_BOTH))
            assert (missed[1] == wrong[1]) == (kind == WRONG_TYPE)
            assert tokens_of(missed) & tokens_of(wrong)
            assert len(missed[1]) == len(wrong[1]) or kind in (WRONG_LINKING, WRONG_BOTH)
    # entities without a partner cannot be paired
    for missed in (missed for _, missed, wrong in errors if wrong is None):
        for kind, other, wrong in errors:
            if other is None and (kind == SPURIOUS or missed[0] == wrong[0]):
                assert not tokens_of(missed) & tokens_of(wrong)
    random.shuffle(gold)
    random.shuffle(predicted)
    assert find_errors(gold, predicted) == errors


def text_order(item):
    return item[1][0][0], item[1][-1][1], item[::-1]


def greedy_pairs(gold, predicted, fits, order=None):
    """All pairs that share a token, one to one, largest overlap first."""
    shares = {}
    for i, g in enumerate(sorted(gold, key=order)):
        for j, p in enumerate(sorted(predicted, key=order)):
            own, other = tokens_of(g), tokens_of(p)
            if own & other and fits(g, p):
                shares[-len(own & other) / len(own | other), i, j] = (g, p)
    pairs = []
    for _, pair in sorted(shares.items()):
        if not any(g == pair[0] or p == pair[1] for g, p in pairs):
            pairs.append(pair)
    return pairs


@given(st.sets(ITEM, max_size=9), st.sets(ITEM, max_size=9))
def test_pairs_are_those_of_a_naive_implementation(gold, predicted):
    counts, errors = count_matches(gold, predicted), find_errors(gold, predicted)
    pairs = greedy_pairs(gold, predicted, lambda g, p: True)
    credit = sum(1.0 if g[1] == p[1] else 0.5 for g, p in pairs)
    assert counts["partial"] == Counts(credit, len(predicted), len(gold))
    pairs = greedy_pairs(gold, predicted, lambda g, p: g[0] == p[0])
    assert counts["type"] == Counts(len(pairs), len(predicted), len(gold))
    missed, incorrect = gold - predicted, predicted - gold
    pairs = greedy_pairs(missed, incorrect, lambda g, p: g[0] == p[0] or g[1] == p[1], text_order)
    assert {(g, p) for kind, g, p in errors if g and p and kind != WRONG_BOTH} == set(pairs)
    # then the others, unless they recombine fragments
    missed, incorrect = missed - {g for g, _ in pairs}, incorrect - {p for _, p in pairs}
    incorrect -= {p for kind, g, p in errors if kind == WRONG_LINKING and g is None}
    pairs = greedy_pairs(missed, incorrect, lambda g, p: True, text_order)
    assert {(g, p) for kind, g, p in errors if kind == WRONG_BOTH} == set(pairs)


def count_calls(function):
    """Number of function calls and iterations."""
    events = Counter()
    sys.setprofile(lambda frame, event, arg: events.update([event]))
    try:
        function()
    finally:
        sys.setprofile(None)
    return events.total()


@pytest.mark.parametrize("function", [count_matches, find_errors, model_report.report_model, stats])
def test_time_grows_linearly_if_all_entities_share_a_word(function, monkeypatch):
    monkeypatch.setattr(matching, "_MOST_COMPARED", 5)

    def run(n):
        doc = Doc(Vocab(), words=[f"w{i}" for i in range(50)], sent_starts=[True] + [False] * 49)
        sides = [
            # the first word and two others
            [("A", (0, first, second)) for first in range(1, 1 + n) for second in seconds]
            for seconds in (range(25, 50, 2), range(26, 50, 2))
        ]
        if function in (count_matches, find_errors):
            return count_calls(lambda: function(*([item(a, *b) for a, b in s] for s in sides)))
        docs = []
        for side in sides:
            docs.append(doc.copy())
            set_entities(docs[-1], [Entity.from_tokens(*entity) for entity in side])
        if function is stats:
            return count_calls(lambda: function(docs[:1]))
        return count_calls(lambda: function([Example(*docs)]))

    # 3 times the entities; pairs would grow by a factor of 9
    assert run(24) < 4 * run(8)
