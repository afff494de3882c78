import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gapdner.analysis.bootstrap import bootstrap_intervals
from spacy_gapdner.analysis.matching import MatchTally, meeting_extents, n_shared
from spacy_gapdner.entities import Entity, set_entities
from spacy_gapdner.scorer import compare


def tally(*documents):
    """Counts over documents of ten one-letter words."""
    counted = MatchTally()
    for gold, predicted in documents:
        docs = []
        for entities in (predicted, gold):
            doc = Doc(Vocab(), words=list("abcdefghij"))
            set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities])
            docs.append(doc)
        counted.add(compare(Example(*docs), "gapdner"))
    return {name: (m.correct, m.predicted, m.gold) for name, m in counted.matches.items()}


@pytest.mark.parametrize(
    ("gold", "predicted", "exact", "partial", "type_"),
    [
        ([("A", [0, 1, 4])], [("A", [0, 1, 4])], 1, 1, 1),
        ([("A", [0, 1, 4])], [("B", [0, 1, 4])], 1, 1, 0),
        # a fragment is missing
        ([("A", [0, 1, 4])], [("A", [0, 1])], 0, 0.5, 1),
        ([("A", [0, 1, 4])], [("B", [4])], 0, 0.5, 0),
        # what lies in the gap is no part of the entity
        ([("A", [0, 1, 4])], [("A", [2, 3])], 0, 0, 0),
        ([("A", [0, 1, 4])], [("A", [0, 1, 2, 3, 4])], 0, 0.5, 1),
        # interleaved without a common word
        ([("A", [0, 2])], [("A", [1, 3])], 0, 0, 0),
        # two predictions on one gold entity: one counts
        ([("A", [0, 1, 2])], [("A", [0]), ("A", [2])], 0, 0.5, 1),
        # the pair that shares more goes first, and leaves the other for its own
        ([("A", [0, 1]), ("A", [1, 2, 3])], [("A", [1, 2, 3]), ("B", [0])], 1, 1.5, 1),
        # the type decides with whom an entity is paired
        ([("A", [0, 1]), ("B", [0, 1])], [("B", [0, 1]), ("A", [1])], 1, 1.5, 2),
        ([], [("A", [0])], 0, 0, 0),
    ],
)
def test_credit(gold, predicted, exact, partial, type_):
    n = (len(predicted), len(gold))
    expected = {"exact": (exact, *n), "partial": (partial, *n), "type": (type_, *n)}
    assert tally((gold, predicted)) == expected


def test_documents_add_up():
    first = ([("A", [0])], [("A", [0])])
    second = ([("A", [0, 2]), ("B", [5])], [("A", [0])])
    assert tally(first, second) == {"exact": (1, 2, 3), "partial": (1.5, 2, 3), "type": (2, 2, 3)}


def naive(counts, n_resamples, seed):
    """The same draws, one Doc after the other."""
    rng = np.random.default_rng(seed)
    n = len(counts)
    values = {measure: [] for measure in "prf"}
    for drawn in rng.multinomial(n, np.full(n, 1 / n), size=n_resamples):
        rows = [row for row, times in zip(counts, drawn, strict=True) for _ in range(times)]
        correct, predicted, gold = (sum(row[0][i] for row in rows) for i in range(3))
        if predicted or gold:
            values["p"].append(correct / predicted if predicted else 0.0)
            values["r"].append(correct / gold if gold else 0.0)
            values["f"].append(2 * correct / (predicted + gold))
    return {m: tuple(np.percentile(v, [2.5, 97.5])) if v else None for m, v in values.items()}


@pytest.mark.parametrize("seed", [0, 1])
def test_intervals_are_those_of_the_definition(seed, monkeypatch):
    rng = np.random.default_rng(7)
    gold = rng.integers(0, 4, size=12)
    predicted = rng.integers(0, 4, size=12)
    correct = np.minimum(gold, predicted) * rng.choice([0.0, 0.5, 1.0], size=12)
    counts = np.stack([correct, predicted, gold], axis=1)[:, None, :]
    for block in (2**22, 100):
        monkeypatch.setattr("spacy_gapdner.analysis.bootstrap._BLOCK_SIZE", block)
        (found,) = bootstrap_intervals(counts, 200, seed)
        for measure, bounds in naive(counts, 200, seed).items():
            assert found[measure] == pytest.approx(bounds), measure
        assert found["f"][0] < 2 * correct.sum() / (gold + predicted).sum() < found["f"][1]


def test_intervals_of_equal_documents_and_of_nothing():
    # every Doc: one correct of two predicted and four gold; and a score that counts nothing
    counts = np.tile([[1, 2, 4], [0, 0, 0]], (5, 1, 1))
    found, nothing = bootstrap_intervals(counts, 50)
    assert found == {"p": (0.5, 0.5), "r": (0.25, 0.25), "f": pytest.approx((1 / 3, 1 / 3))}
    assert nothing == {"p": None, "r": None, "f": None}


ENTITIES = st.lists(
    st.sets(st.integers(0, 12), min_size=1, max_size=4).map(
        lambda tokens: ("A", Entity.from_tokens("A", tokens).fragments)
    ),
    max_size=12,
)


@given(ENTITIES, ENTITIES)
def test_no_pair_that_meets_is_left_out(items, others):
    found = list(meeting_extents(items, others))
    assert len(found) == len(set(found))
    for i, (_, fragments) in enumerate(items):
        for j, (_, other) in enumerate(others):
            if fragments[0][0] <= other[-1][1] and other[0][0] <= fragments[-1][1]:
                assert (i, j) in found
            elif fragments[-1][1] < min(start for start, _ in other):
                assert (i, j) not in found


@given(*[st.sets(st.integers(0, 9), min_size=1)] * 2)
def test_shared_positions(first, second):
    fragments = [Entity.from_tokens("A", tokens).fragments for tokens in (first, second)]
    assert n_shared(*fragments) == len(first & second)
