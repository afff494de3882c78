import itertools

import pytest
import srsly
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gapdner.entities import Entity, set_entities
from spacy_gapdner.pipe.scorer import compare, make_discontinuous_scorer, score_discontinuous

SUBSETS = ("", "disc_", "disc_sents_", "overlap_sents_")


def make_doc(words, entities=(), sent_starts=None, key="gapdner"):
    doc = Doc(Vocab(), words=words, sent_starts=sent_starts)
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities], key)
    return doc


def make_example(n, gold, predicted, sent_starts=None, key="gapdner"):
    words = [f"w{i}" for i in range(n)]
    starts = None if sent_starts is None else [i in sent_starts for i in range(n)]
    return Example(make_doc(words, predicted, key=key), make_doc(words, gold, starts, key=key))


def prf(tp, fp, fn):
    p = tp / max(tp + fp, 1)
    r = tp / max(tp + fn, 1)
    return pytest.approx({"p": p, "r": r, "f": 2 * p * r / (p + r) if p + r else 0.0})


def assert_subset(scores, subset, tp, fp, fn):
    found = {measure: scores[f"spans_gapdner_{subset}{measure}"] for measure in "prf"}
    assert found == prf(tp, fp, fn)


def test_hand_computed_counts():
    found = [("ADE", [0, 1, 5]), ("DRUG", [8]), ("ADE", [11, 12, 13])]
    # in the first sentence a gap of 3 (2 and 1) is missed and one of 4 wrong; in the second the
    # nested entity gets the wrong type
    gold = [*found, ("ADE", [0, 3, 5]), ("ADE", [12, 13])]
    predicted = [*found, ("ADE", [0, 5]), ("DRUG", [12, 13])]
    examples = [
        make_example(20, gold, predicted, {0, 10}),
        # a gap of 2, and no sentences
        make_example(6, [("DRUG", [0, 1, 4])], []),
        make_example(6, [("ADE", [0])], [("ADE", [0]), ("ADE", [3, 5])], {0, 3}),
    ]
    scores = score_discontinuous(examples)
    assert_subset(scores, "", tp=4, fp=3, fn=3)
    assert_subset(scores, "disc_", tp=1, fp=2, fn=2)
    # sentence 1 of document 1, document 2
    assert_subset(scores, "disc_sents_", tp=2, fp=1, fn=2)
    # both sentences of document 1
    assert_subset(scores, "overlap_sents_", tp=3, fp=2, fn=2)
    per_type = {"ADE": prf(tp=3, fp=2, fn=2), "DRUG": prf(tp=1, fp=1, fn=1)}
    assert scores["spans_gapdner_per_type"] == per_type
    spurious, missed = prf(tp=0, fp=1, fn=0), prf(tp=0, fp=0, fn=1)
    lengths = {"1": spurious, "2": missed, "3": prf(tp=1, fp=0, fn=1), "4": spurious}
    assert scores["spans_gapdner_gap_lengths"] == lengths
    counts = scores["spans_gapdner_counts"]
    sides = ("gold", "predicted", "correct")
    assert counts.keys() == {f"{subset}{side}" for subset in SUBSETS for side in sides}
    assert [counts[f"disc_sents_{side}"] for side in sides] == [4, 3, 2]
    # spaCy saves them with the pipeline
    assert srsly.msgpack_loads(srsly.msgpack_dumps(scores)) == scores


def test_sentences_of_user_hooks():
    example = make_example(10, [("A", [0, 2])], [("A", [0, 2]), ("A", [8])], {0, 5})
    assert_subset(score_discontinuous([example]), "disc_sents_", tp=1, fp=0, fn=0)
    example.reference.user_hooks["sents"] = lambda doc: [doc[0:9], doc[9:10]]
    assert_subset(score_discontinuous([example]), "disc_sents_", tp=1, fp=1, fn=0)


def test_example_of_the_readme():
    # severe joint , shoulder and upper body pain and fever
    joint, body, fever = ("ADE", [0, 1, 7]), ("ADE", [0, 5, 6, 7]), ("ADE", [9])
    example = make_example(10, [joint, body, fever], [joint, ("ADE", [5, 6, 7]), fever])
    scores = score_discontinuous([example])
    assert_subset(scores, "", tp=2, fp=1, fn=1)
    assert_subset(scores, "disc_", tp=1, fp=0, fn=1)


@pytest.mark.parametrize(
    ("words", "tokens", "correct"),
    [
        (["Sore", "left-arm", "and", "leg"], [0, 3], True),
        (["So", "re", "left", "-", "arm", "and", "leg"], [0, 1, 6], True),
        (["So", "re", "left", "-", "arm", "and", "leg"], [0, 6], False),
        (["Sore", "left-arm", "and leg"], [0, 2], False),
        # whitespace belongs to no entity and no gap
        (["Sore", "\n", "left-arm", "and", " ", "leg"], [0, 1, 4, 5], True),
        (["Sore", "left-arm", "and", "l", "\n", "eg"], [0, 3, 5], True),
        (["SORE", "left-arm", "AND", "leg"], [0, 3], True),
    ],
)
def test_tokens_may_differ(words, tokens, correct):
    reference = make_doc(["Sore", "left", "-", "arm", "and", "leg"], [("ADE", [0, 5])])
    predicted = make_doc(words, [("ADE", tokens)])
    scores = score_discontinuous([Example(predicted, reference)])
    assert_subset(scores, "", tp=int(correct), fp=int(not correct), fn=int(not correct))
    assert scores["spans_gapdner_gap_lengths"]["4"]["r"] == pytest.approx(float(correct))
    other = Example(make_doc(["a"]), reference)
    with pytest.raises(ValueError, match=r"must have the same text.*'a ?'.*'Sore left"):
        score_discontinuous([other])


def test_equal_entities_count_once():
    # the second is the first plus a space token at its end, and the last is only whitespace
    doc = make_doc(["took", "aspirin", " "], [("DRUG", [1]), ("DRUG", [2])])
    predicted = doc.copy()
    scored = (((1, 2), 0.5), ((1, 3), 0.75), ((2, 3), 0.25))
    set_entities(predicted, [Entity("DRUG", (tokens,), score) for tokens, score in scored])
    compared = compare(Example(predicted, doc), "gapdner")
    assert list(compared.scores.values()) == [0.75, 0.25]
    assert compared.predicted == compared.gold


def test_spans_key_names_scores_and_groups():
    example = make_example(12, [("ADE", [0, 11]), ("ADE", [0, 3])], [("ADE", [0, 3])], key="other")
    scores = make_discontinuous_scorer()([example], spans_key="other", labels=["ADE"])
    assert all(name.startswith("spans_other_") for name in scores)
    assert scores["spans_other_disc_r"] == pytest.approx(0.5)
    # lengths are sorted as numbers
    assert list(scores["spans_other_gap_lengths"]) == ["2", "10"]


def naive_scores(examples):
    """Count by the definitions over token sets; the tokens of both sides must be equal."""
    counts = {subset: [0, 0, 0] for subset in SUBSETS}

    def count(subset, gold, predicted):
        for entity in gold:
            counts[subset][0 if entity in predicted else 2] += 1
        counts[subset][1] += sum(entity not in gold for entity in predicted)

    def is_disc(entity):
        return max(entity[1]) - min(entity[1]) + 1 > len(entity[1])

    for n, gold, predicted, sent_starts in examples:
        gold = {(label, frozenset(tokens)) for label, tokens in gold}
        predicted = {(label, frozenset(tokens)) for label, tokens in predicted}
        count("", gold, predicted)
        count("disc_", set(filter(is_disc, gold)), set(filter(is_disc, predicted)))
        bounds = [*sorted(sent_starts), n]
        for start, end in itertools.pairwise(bounds):
            inside = [{e for e in side if start <= min(e[1]) < end} for side in (gold, predicted)]
            if any(is_disc(entity) for entity in inside[0]):
                count("disc_sents_", *inside)
            if any(a != b and a[1] & b[1] for a in inside[0] for b in gold):
                count("overlap_sents_", *inside)
    return counts


N_TOKENS = 9
TOKENS = st.sets(st.integers(0, N_TOKENS - 1), min_size=1, max_size=4)
ENTITIES = st.lists(st.tuples(st.sampled_from("AB"), TOKENS), max_size=6)
SENT_STARTS = st.sets(st.integers(1, N_TOKENS - 1), max_size=3).map(lambda starts: {0, *starts})


@given(st.lists(st.tuples(ENTITIES, ENTITIES, ENTITIES, SENT_STARTS), max_size=3))
def test_agrees_with_naive_counting(drawn):
    plain = [(N_TOKENS, gold + both, predicted + both, s) for gold, predicted, both, s in drawn]
    scores = score_discontinuous([make_example(*example) for example in plain])
    for subset, (tp, fp, fn) in naive_scores(plain).items():
        if tp + fp + fn:
            assert_subset(scores, subset, tp, fp, fn)
        else:
            assert scores[f"spans_gapdner_{subset}f"] is None


def unmarked(doc):
    """The Doc without the mark of `set_entities` that it has no entities."""
    del doc.spans["gapdner"]
    return doc


def test_scores_without_annotation_are_none():
    predicted = make_doc(["a", "b", "c"], [("X", [0, 2])])
    example = Example(predicted, unmarked(make_doc(["a", "b", "c"])))
    scores = score_discontinuous([example])
    counts = scores.pop("spans_gapdner_counts")
    assert (counts["gold"], counts["predicted"], counts["disc_predicted"]) == (0, 1, 1)
    assert set(scores.values()) == {None}
    # as with spancat, annotated documents are scored
    for annotated in (make_doc(["a"]), make_doc(["a"], [("X", [0])])):
        scores = score_discontinuous([example, Example(make_doc(["a"]), annotated)])
        assert [scores[f"spans_gapdner_{name}"] for name in ("p", "disc_f")] == [0.0, 0.0]
        assert scores["spans_gapdner_gap_lengths"] == {"1": prf(tp=0, fp=1, fn=0)}
