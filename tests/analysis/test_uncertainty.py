import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from tiny_pipeline import ANNOTATED, model_config

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.analysis import select_uncertain
from spacy_gapdner.analysis.uncertainty import UncertaintySampler
from spacy_gapdner.inference.loading import temporary_settings
from spacy_gapdner.pipe.calibration import Calibration

TEXTS = [text for text, _ in ANNOTATED]
# label and score of the candidates of each document, the kept entities, and the uncertainty,
# with a threshold of 0.5 and one of 0.75 for Drug
CANDIDATES = [
    ([("ADR", 1.0)], ["ADR"], 0),
    ([("ADR", 0.5625), ("ADR", 0.875)], ["ADR", "ADR"], 0.875 + 0.25),
    ([("ADR", 0.46875), ("Drug", 1.0)], ["Drug"], 0.9375 + 0),
    ([], [], 0),
    ([("Drug", 0.6875)], [], 11 / 12),
    ([("ADR", 0.6875)], ["ADR"], 0.625),
]


@pytest.fixture(scope="module")
def pipe():
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("gapdner", config={"model": model_config(), "threshold": 0.5})
    pipe.cfg["type_thresholds"] = {"Drug": 0.75}
    return pipe


def test_no_texts(pipe):
    with pytest.raises(GapDNERError, match="Invalid number of texts: 0"):
        UncertaintySampler(pipe, 0)


def make_docs(pipe, candidates):
    for number, found in enumerate(candidates):
        doc = spacy.tokens.Doc(pipe.vocab, words=["w"] * 5)
        doc.user_data["number"] = number
        entities = [Entity(label, ((i, i + 1),), score) for i, (label, score) in enumerate(found)]
        set_entities(doc, entities)
        yield doc


def test_uncertainty_and_kept_entities(pipe):
    sampler = UncertaintySampler(pipe, len(CANDIDATES))
    candidates, kept, uncertainties = zip(*CANDIDATES, strict=True)
    docs = [*make_docs(pipe, candidates)]
    # divided by the number of words plus five
    assert [10 * sampler.uncertainty(doc) for doc in docs] == pytest.approx(uncertainties)
    sample = list(sampler.sample(docs))
    assert [doc.user_data["number"] for doc in sample] == [1, 2, 4, 5, 0, 3]
    for doc in sample:
        assert [e.label_ for e in get_entities(doc)] == kept[doc.user_data["number"]]


def test_entities_with_low_thresholds_are_candidates(pipe):
    for settings, lowest in (
        ({}, 0.1),
        ({"disc_threshold": 0.05}, 0.05),
        ({"threshold": 0.0}, 0.1),
    ):
        with temporary_settings(pipe, **settings), UncertaintySampler(pipe, 1).showing_candidates():
            assert pipe.cfg["threshold"] == lowest


@pytest.mark.parametrize(
    ("label", "fragments"), [("ADR", ((0, 1),)), ("ADR", ((0, 1), (2, 3))), ("Drug", ((0, 1),))]
)
def test_threshold_zero_counts_as_one_half(pipe, label, fragments):
    with temporary_settings(pipe, threshold=0.0, disc_threshold=0.0, type_thresholds={"Drug": 0.0}):
        sampler = UncertaintySampler(pipe, 1)
    for score, uncertainty, n_kept in ((0.5, 0.1, 1), (0.25, 0.05, 0)):
        doc = spacy.tokens.Doc(pipe.vocab, words=["w"] * 5)
        set_entities(doc, [Entity(label, fragments, score)])
        assert sampler.uncertainty(doc) == pytest.approx(uncertainty)
        [kept] = sampler.sample([doc])
        assert len(get_entities(kept)) == n_kept


@given(st.lists(st.sampled_from([0.125, 0.375, 0.5, 0.75, 1.0]) | st.none()), st.integers(1, 4))
def test_sample_contains_the_most_uncertain_docs(pipe, scores, n):
    candidates = [[] if score is None else [("X", score)] for score in scores]

    # each Doc is invalid after the next one is read, as in a memory zone
    def invalidated():
        for doc in make_docs(pipe, candidates):
            yield doc
            doc.user_data.clear()

    margins = [0.5 if score is None else abs(score - 0.5) for score in scores]
    ranked = sorted(range(len(scores)), key=lambda number: (margins[number], number))
    sample = UncertaintySampler(pipe, n).sample(invalidated())
    assert [doc.user_data["number"] for doc in sample] == ranked[:n]


def test_candidates_below_the_threshold_are_calibrated(nlp):
    pipe = nlp.get_pipe("gapdner")
    # the probability of all entities is sigmoid(-1) = 0.269
    own = {"threshold": 0.4, "type_thresholds": {"Drug": 0.3}}
    pipe.cfg.update(own, calibration=Calibration(0.001, -1.0)._asdict())
    docs = select_uncertain(nlp, iter(TEXTS), 4, n_process=2, batch_size=1)
    # nothing reaches a threshold, and a Drug is closer to its threshold than an ADR
    assert [get_entities(doc) for doc in docs] == [()] * 4
    thresholds = {"Drug": 0.3, "ADR": 0.4}
    with UncertaintySampler(pipe, 1).showing_candidates():
        found = {text: get_entities(nlp(text)) for text in TEXTS}
    assert found[TEXTS[0]][0].score == pytest.approx(0.269, abs=0.01)

    def uncertainty(text):
        n_words = len(text.rstrip(" .").split())
        return sum(e.score / thresholds[e.label_] for e in found[text]) / (n_words + 5)

    assert [doc.text for doc in docs] == sorted(TEXTS, key=uncertainty, reverse=True)
    assert {name: pipe.cfg[name] for name in own} == own
