"""PyTorch networks under thinc."""

import os

import numpy as np
from thinc.api import Adam
from tiny_pipeline import make_examples, make_nlp

from spacy_gapdner.model.shim import bound_onednn_caches


def test_averages_take_the_place_of_all_weights_for_a_time(tmp_path):
    nlp = make_nlp()
    model = nlp.get_pipe("gapdner").model
    (shim,) = [shim for node in model.walk() for shim in node.shims]
    optimizer = Adam(0.01, use_averages=True)
    for _ in range(3):
        nlp.update(make_examples(nlp), sgd=optimizer)

    def network_weights():
        return {name: p.detach().numpy().copy() for name, p in shim._model.named_parameters()}

    before, saved = network_weights(), model.to_bytes()
    with nlp.use_params(optimizer.averages):
        averages, saved_averages = network_weights(), model.to_bytes()
    for name, weights in averages.items():
        np.testing.assert_array_equal(weights, optimizer.averages[shim.id, name])
    assert any(not np.array_equal(before[name], averages[name]) for name in before)
    assert model.to_bytes() == saved != saved_averages


def test_what_is_set_of_onednn_is_kept(monkeypatch):
    names = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")
    monkeypatch.setenv(names[0], "99")
    bound_onednn_caches()
    assert [os.environ[name] for name in names] == ["99", "16"]
