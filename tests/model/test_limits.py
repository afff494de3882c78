"""Sizes that no memory holds are refused before anything of them is allocated."""

import sys

import numpy as np
import pytest
import srsly
import torch
from grid_models import fixed_vectors, initialize_model, network_of

from spacy_gapdner import GapDNERError
from spacy_gapdner.model.architecture import build_gapdner_v1
from spacy_gapdner.model.limits import MAX_CHANNELS, MAX_WORDS, check_weights
from spacy_gapdner.segments import Segment
from spacy_gapdner.tagging.gap import MultilabelTagging

# not on Windows
resource = pytest.importorskip("resource")


def make_model(initialize=True, n_types=2, **settings):
    sizes = {"hidden_width": 6, "boundary_width": 3, "grid_width": 5, "attention_width": 2}
    model = build_gapdner_v1(fixed_vectors(), MultilabelTagging(), **{**sizes, **settings})
    n_channels = MultilabelTagging().layout(n_types).n_channels
    return initialize_model(model, n_channels) if initialize else model


@pytest.fixture(autouse=True)
def memory(request):
    """No test here may take 500 MB more, whatever sizes it asks for."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    if sys.platform == "linux":
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


@pytest.mark.parametrize(
    "settings",
    [
        {"hidden_width": 10**9},
        {"hidden_width": 10**13},
        {"hidden_width": 10**20},
        {"boundary_width": 10**6},
        {"grid_width": 10**9},
        {"attention_width": 10**12},
        {"co_predictor": True, "co_predictor_width": 10**10},
    ],
    ids=str,
)
def test_widths(settings):
    with pytest.raises(GapDNERError, match="weights besides its encoder, and at most"):
        make_model(**settings)


def test_a_network_that_looks_at_its_weights_is_made():
    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.ones(2).sum().item()

    check_weights(Network)


def test_a_network_of_just_so_many_weights_is_made(monkeypatch):
    n_weights = sum(weights.numel() for weights in network_of(make_model()).parameters())
    monkeypatch.setattr("spacy_gapdner.model.limits.MAX_WEIGHTS", n_weights)
    make_model()
    monkeypatch.setattr("spacy_gapdner.model.limits.MAX_WEIGHTS", n_weights - 1)
    with pytest.raises(GapDNERError, match="Lower the widths"):
        make_model()


def test_counting_weights_draws_no_random_numbers():
    before = torch.get_rng_state()
    check_weights(lambda: torch.nn.Linear(3, 4))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(("name", "value"), [("nI", 10**9), ("nO", 10**9), ("nO", 10**18)])
def test_sizes_that_saved_bytes_announce(name, value):
    message = srsly.msgpack_loads(make_model().to_bytes())
    place = next((i, j) for i, shims in enumerate(message["shims"]) for j in range(len(shims)))
    shim = srsly.msgpack_loads(message["shims"][place[0]][place[1]])
    state = srsly.msgpack_loads(shim["state"])
    shim["state"] = srsly.msgpack_dumps({**state, name: value})
    message["shims"][place[0]][place[1]] = srsly.msgpack_dumps(shim)
    with pytest.raises(GapDNERError, match="at most"):
        make_model(initialize=False).from_bytes(srsly.msgpack_dumps(message))


def test_too_many_channels():
    with pytest.raises(GapDNERError, match=f"{MAX_CHANNELS} are allowed"):
        make_model(n_types=MAX_CHANNELS + 1)


def test_a_sentence_of_a_million_words():
    model = make_model()
    grid = model.get_ref("grid")
    vectors = [np.zeros((10**6, grid.get_dim("nI")), dtype="float32")]
    with pytest.raises(GapDNERError, match=r"segment of 1000000 words.*Lower max_length"):
        grid.predict((vectors, [[Segment(0, 10**6)]]))
    with pytest.raises(GapDNERError, match=f"at most {MAX_WORDS} words"):
        grid.predict((vectors, [[Segment(0, 3), Segment(3, MAX_WORDS + 4)]]))
    assert grid.predict((vectors, [[Segment(10, 13)]]))[0].shape[:2] == (3, 3)
