import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from grid_models import (
    LABELS,
    SEGMENTS,
    SETTINGS,
    fixed_vectors,
    initialize_model,
    make_input,
    network_of,
)
from numpy.testing import assert_allclose
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.model import thinc_wrapper
from spacy_gapdner.model.architecture import build_gapdner_v1
from spacy_gapdner.model.grid_network import Call
from spacy_gapdner.model.network import GapDNERNetwork
from spacy_gapdner.model.thinc_wrapper import get_shim


def make_model(initialize=True, seed=0, **settings):
    settings = {**SETTINGS, "word_dropout": 0.0, **settings}
    model = build_gapdner_v1(fixed_vectors(), GapAwareTagging(), **settings)
    return initialize_model(model, seed=seed) if initialize else model


def regroup(arrays, scores):
    """Arrays (n, n, channels) in the batches of other grids, and zero for padding."""
    batches = [np.zeros_like(batch) for batch in scores.batches]
    regrouped = replace(scores, batches=batches)
    for array, grid in zip(arrays, regrouped, strict=True):
        grid[...] = array
    return regrouped


def assert_close(actual, expected, atol=1e-5):
    for a, b in zip(actual, expected, strict=True):
        assert a.shape == b.shape
        assert_allclose(a, b, rtol=1e-4, atol=atol)


@pytest.mark.parametrize("max_batch_cells", [1, 150, 10**6])
def test_batching_does_not_change_scores_and_gradients(max_batch_cells):
    model = make_model(max_batch_cells=max_batch_cells)
    net, random = network_of(model), np.random.default_rng(1)
    scores, backprop = model.begin_update(make_input())
    d_scores = [random.normal(size=grid.shape).astype("float32") for grid in scores]
    backprop(regroup(d_scores, scores))
    actual = {name: p.grad.clone() for name, p in net.named_parameters()}

    net.zero_grad()
    vectors = [torch.from_numpy(v) for v in model.get_ref("tok2vec").attrs["vectors"]]
    vectors = [v.clone().requires_grad_() for v in vectors]
    gradients, alone = iter(d_scores), []
    for doc, parts in zip(vectors, SEGMENTS, strict=True):
        for start, end in parts:
            index = torch.arange(start, end)[None]
            grid = net(doc, [Call(index, torch.tensor([end - start]), [1])])[0][0]
            grid.backward(torch.from_numpy(next(gradients)))
            alone.append(grid.detach().numpy())
    assert_close(scores, alone)
    assert_close(model.predict(make_input()), alone)
    for name, p in net.named_parameters():
        torch.testing.assert_close(actual[name], p.grad, rtol=1e-4, atol=1e-4, msg=name)
    # a token in two windows gets the gradient of both, and a token in no segment gets zero
    expected = [np.zeros(v.shape) if v.grad is None else v.grad.numpy() for v in vectors]
    gradient = model.get_ref("tok2vec").attrs["gradient"]
    assert_close(gradient, expected, atol=1e-4)
    assert gradient[1][4:6].any()
    assert not gradient[4][5:].any()


@pytest.mark.parametrize(
    ("max_batch_cells", "max_words", "n_calls", "n_batches"),
    [(40, 1000, 1, 5), (8 * 64, 1000, 1, 3), (20_000, 1000, 1, 1), (8 * 64, 14, 3, 3)],
)
def test_calls_and_batches_respect_their_limits(
    monkeypatch, max_batch_cells, max_words, n_calls, n_batches
):
    calls, forward = [], GapDNERNetwork.forward

    def watch(self, vectors, made):
        for words, lengths, batch_sizes in made:
            calls.append(batch_sizes)
            assert len(lengths) == 1 or words.numel() <= max_words
            for batch in lengths.split(batch_sizes):
                assert len(batch) == 1 or len(batch) * batch.max() ** 2 <= max_batch_cells
        return forward(self, vectors, made)

    monkeypatch.setattr(GapDNERNetwork, "forward", watch)
    monkeypatch.setattr(thinc_wrapper, "_MAX_CALL_WORDS", max_words)
    scores = make_model(max_batch_cells=max_batch_cells).predict(make_input())
    assert (len(calls), sum(map(len, calls))) == (n_calls, n_batches)
    monkeypatch.undo()
    assert_close(scores, make_model().predict(make_input()))


def test_documents_without_tokens():
    model = make_model()
    model.get_ref("tok2vec").attrs["vectors"] = [np.zeros((0, 0), dtype="float32")] * 2
    docs = [Doc(Vocab()), Doc(Vocab())]
    for is_train in (False, True):
        scores, backprop = model((docs, [[], []]), is_train)
        assert (len(scores), scores.batches) == (0, [])
    assert backprop(scores) == docs


@pytest.mark.parametrize("initialize", [False, True])
def test_bytes_restore_a_model(initialize):
    trained, restored = make_model(mixed_precision=True), make_model(initialize, seed=1)
    restored.from_bytes(trained.to_bytes())
    assert network_of(restored).labels == tuple(LABELS)
    # precision is a setting of the config, not of the weights
    get_shim(trained.get_ref("grid")).mixed_precision = False
    for a, b in zip(restored.predict(make_input()), trained.predict(make_input()), strict=True):
        assert np.array_equal(a, b)


class Malicious:
    """Fails the test when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("unpickled",)


def test_malicious_pickle_is_refused(monkeypatch):
    model = make_model()
    with monkeypatch.context() as patch:
        patch.setattr(GapDNERNetwork, "state_dict", lambda self: {"weight": Malicious()})
        data = model.to_bytes()
    # even if the environment requests the unsafe default
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError, match="Weights only"):
        make_model(initialize=False).from_bytes(data)


def test_mixed_precision_multiplies_in_bfloat16():
    results = []
    for mixed_precision in (False, True):
        model = make_model(mixed_precision=mixed_precision)
        scores, backprop = model.begin_update(make_input())
        backprop(regroup([np.ones_like(grid) for grid in scores], scores))
        results.append((scores, list(network_of(model).parameters())))
    (expected, parameters), (scores, others) = results
    assert {grid.dtype for grid in scores} == {np.dtype("float32")}
    # it has a small effect
    assert not all(map(np.array_equal, scores, expected))
    assert_close(scores, expected, atol=0.1)
    for p, other in zip(parameters, others, strict=True):
        assert other.dtype == other.grad.dtype == torch.float32
        scale = float(p.grad.abs().max()) + 1.0
        torch.testing.assert_close(other.grad / scale, p.grad / scale, rtol=0, atol=0.1)


def test_other_default_precision_of_pytorch():
    torch.set_default_dtype(torch.float64)
    try:
        model = make_model()
        scores, backprop = model.begin_update(make_input())
        backprop(scores)
    finally:
        torch.set_default_dtype(torch.float32)
    assert {grid.dtype for grid in scores} == {np.dtype("float32")}
    assert {weights.grad.dtype for weights in network_of(model).parameters()} == {torch.float32}
