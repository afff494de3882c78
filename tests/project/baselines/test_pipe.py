"""W2NER and TOE in the pipe: what the tests of the pipe with GapDNER do not show."""

import pytest
import spacy
from tiny_pipeline import (
    CORPUS,
    annotate,
    expected,
    found,
    make_examples,
    tok2vec_config,
    train,
)

import project.baselines.register  # noqa: F401  # registers what the configs name
from spacy_gapdner import get_entities

pytestmark = pytest.mark.slow


def model_config(name, **settings):
    return {
        "@architectures": f"gapdner-baselines.{name}.v1",
        "hidden_width": 24,
        "embedding_width": 4,
        "grid_width": 16,
        "biaffine_width": 16,
        "predictor_width": 16,
        "dilations": [1, 2],
        "word_dropout": 0.0,
        "grid_dropout": 0.0,
        "predictor_dropout": 0.0,
        "none_bias": 5.0,
        "tagging": {"@misc": f"gapdner-baselines.{name}Tagging.v1"},
        "tok2vec": tok2vec_config(),
        **({"n_heads": 2, "tag_dropout": 0.0} if name == "TOE" else {}),
        **settings,
    }


def make_nlp(name, corpus=CORPUS, **settings):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner", config={"model": model_config(name, **settings)})
    nlp.initialize(lambda: make_examples(nlp, corpus))
    return nlp


@pytest.fixture(scope="module", params=["W2NER", "TOE"])
def trained(request):
    nlp = make_nlp(request.param)
    losses = train(nlp, 80)
    assert losses[-1] < losses[0] / 5
    return nlp


def annotate_all(nlp):
    docs = [annotate(nlp, text) for text, _ in CORPUS]
    return [[(e.label_, e.token_indices, e.score) for e in get_entities(doc)] for doc in docs]


def test_learns_every_kind_of_entity(trained):
    for text, entities in CORPUS:
        assert found(annotate(trained, text)) == expected(entities), text
    scores = trained.evaluate(make_examples(trained))
    assert (scores["spans_gapdner_f"], scores["spans_gapdner_disc_f"]) == (1.0, 1.0)


def test_disk(trained, tmp_path):
    trained.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    before = annotate_all(trained)
    assert annotate_all(loaded) == before
    train(loaded, 5)
    assert annotate_all(loaded) != before
