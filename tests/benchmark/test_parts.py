import pytest
from tiny_pipeline import found

from spacy_gapdner.benchmark.parts import (
    PARTS,
    time_prediction_parts,
    time_training_parts,
)
from spacy_gapdner.benchmark.results import shares
from spacy_gapdner.model.profiling import find_grid_shim

NETWORK = {
    "encoder",
    "bilstm",
    "biaffine",
    "span attention",
    "criss-cross",
    "classifier",
    "rest of the grid network",
}
PREDICTION = {*NETWORK, "tokenising", "sentence splitting", "decoding", "annotation", "rest"}
TRAINING = {*NETWORK, "loss", "optimizer", "rest"}


def of_pipeline(runner):
    parts = set()
    if runner.encoder.component is not None:
        parts.add("pooling to words")
    if runner.encoder.shim is not None:
        parts.add("word pieces, alignment")
    if network_of(runner).co_predictor is not None:
        parts.add("co-predictor")
    return parts


def network_of(runner):
    return find_grid_shim(runner.pipe.model)._model


def test_the_transformer_pipeline_has_every_part(runner):
    if runner.encoder.shim is not None:
        assert network_of(runner).co_predictor is not None


def check(parts, expected):
    assert set(parts) == expected
    assert list(parts) == [part for part in PARTS if part in expected]
    assert all(seconds > 0 for seconds in parts.values())
    assert sum(shares(parts).values()) == pytest.approx(1)


def test_prediction(runner, corpus):
    check(time_prediction_parts(runner, corpus), PREDICTION | of_pipeline(runner))


@pytest.mark.parametrize("size", [1, 100])
def test_training(runner, corpus, size):
    check(time_training_parts(runner, corpus, size), TRAINING | of_pipeline(runner))


def test_other_components(runner, corpus):
    runner.nlp.add_pipe("entity_ruler")
    try:
        parts = time_prediction_parts(runner, corpus)
    finally:
        runner.nlp.remove_pipe("entity_ruler")
    check(parts, {*PREDICTION, "other components"} | of_pipeline(runner))


def test_the_pipeline_stays_as_it_was(runner, corpus):
    def attributes():
        return [set(vars(part)) for part in (runner.nlp, *dict(runner.nlp.pipeline).values())]

    before = attributes(), [found(doc) for doc in runner.nlp.pipe(corpus.texts)]
    time_prediction_parts(runner, corpus)
    time_training_parts(runner, corpus, 2)
    assert (attributes(), [found(doc) for doc in runner.nlp.pipe(corpus.texts)]) == before
