"""W2NER and TOE in the pipe: what the tests of the pipe with GapDNER do not show."""

import pytest
import spacy
import tiny_pipeline
from tiny_pipeline import (
    BCE,
    CORPUS,
    CROSS_ENTROPY,
    MULTILABEL,
    ZLPR,
    annotate,
    expected,
    found,
    make_doc,
    make_examples,
    tok2vec_config,
    train,
)

from spacy_gapdner import get_entities

MODELS = {
    "W2NER": ("W2NER", {"@losses": CROSS_ENTROPY, "normalize": "labelled"}),
    "W2NER, as published": ("W2NER", {"@losses": CROSS_ENTROPY, "normalize": "cells"}),
    "TOE": ("TOE", {"@losses": ZLPR}),
    "TOE, BCE": ("TOE", {"@losses": BCE, "normalize": "labelled"}),
}


def model_config(name, **settings):
    architecture, loss = MODELS[name]
    return {
        "@architectures": f"spacy-gapdner.{architecture}.v1",
        "hidden_width": 24,
        "embedding_width": 4,
        "grid_width": 16,
        "predictor_width": 16,
        "dilations": [1, 2],
        "word_dropout": 0.0,
        "grid_dropout": 0.0,
        "predictor_dropout": 0.0,
        "tagging": {"@misc": f"spacy-gapdner.{architecture}Tagging.v1", "loss": loss},
        "tok2vec": tok2vec_config(),
        **({"n_heads": 2, "tag_dropout": 0.0} if architecture == "TOE" else {}),
        **settings,
    }


def make_nlp(name, **settings):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner", config={"model": model_config(name, **settings)})
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


@pytest.fixture(scope="module", params=["W2NER", "TOE"])
def trained(request):
    nlp = make_nlp(request.param)
    train(nlp, 60)
    return nlp


def annotate_all(nlp):
    docs = [annotate(nlp, text) for text, _ in CORPUS]
    return [[(e.label_, e.token_indices, e.score) for e in get_entities(doc)] for doc in docs]


@pytest.mark.parametrize("name", MODELS)
def test_learns_every_kind_of_entity(name):
    nlp = make_nlp(name)
    losses = train(nlp, 80)
    assert losses[-1] < losses[0] / 5
    for text, entities in CORPUS:
        assert found(annotate(nlp, text)) == expected(entities), text
    scores = nlp.evaluate(make_examples(nlp))
    assert (scores["spans_gapdner_f"], scores["spans_gapdner_disc_f"]) == (1.0, 1.0)


def test_any_network_takes_any_scheme():
    gap_aware = make_nlp("W2NER", tagging={"@misc": MULTILABEL})
    chains = tiny_pipeline.make_nlp({"tagging": {"@misc": "spacy-gapdner.W2NERTagging.v1"}})
    for nlp in (gap_aware, chains):
        train(nlp, 80)
        for text, entities in CORPUS:
            assert found(annotate(nlp, text)) == expected(entities), text


def test_the_grid_has_the_scheme_s_channels():
    # three types
    assert make_nlp("W2NER").get_pipe("gapdner").model.get_dim("nO") == 5
    assert make_nlp("TOE").get_pipe("gapdner").model.get_dim("nO") == 8


def test_batch_and_padding_change_no_entity_and_no_score(trained):
    texts = [text for text, _ in CORPUS]
    together = list(trained.pipe([make_doc(trained, text) for text in ["", *texts]]))[1:]
    assert sum(len(found(doc)) for doc in together) > 8
    for doc, text in zip(together, texts, strict=True):
        alone = annotate(trained, text)
        assert found(doc) == found(alone)
        assert [e.score for e in get_entities(doc)] == pytest.approx(
            [e.score for e in get_entities(alone)], abs=1e-5
        )


def test_processes(trained):
    texts = [text for text, _ in CORPUS] * 2
    docs = trained.pipe([make_doc(trained, text) for text in texts], n_process=2, batch_size=3)
    for doc, text in zip(docs, texts, strict=True):
        alone = annotate(trained, text)
        assert found(doc) == found(alone)
        assert [e.score for e in get_entities(doc)] == pytest.approx(
            [e.score for e in get_entities(alone)], abs=1e-5
        )


def test_disk(trained, tmp_path):
    trained.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    before = annotate_all(trained)
    assert annotate_all(loaded) == before
    train(loaded, 5)
    assert annotate_all(loaded) != before


def test_the_seed_decides():
    losses = [train(make_nlp("TOE", tag_dropout=0.3, grid_dropout=0.3), 5) for _ in range(2)]
    assert losses[0] == losses[1]
