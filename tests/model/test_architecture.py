"""The architecture of GapDNER: what its settings do, and which of them are refused."""

import pytest
import torch
from grid_models import WIDTH, fixed_vectors, initialize_model, make_input, network_of

from spacy_gapdner.model.architecture import build_gapdner_v1
from spacy_gapdner.model.labels import TriangleMask
from spacy_gapdner.model.network import GapDNERNetwork, GapDNERSettings
from spacy_gapdner.tagging import MultilabelTagging, SoftmaxTagging, TOETagging, W2NERTagging

# two types
TAGGING, N_CHANNELS = MultilabelTagging(), 4
SETTINGS = {
    "hidden_width": 6,
    "boundary_width": 3,
    "grid_width": 5,
    "attention_width": 2,
    "bilstm": True,
    "biaffine": True,
    "linear_attention": True,
    "criss_cross": True,
    "word_dropout": 0.3,
    "boundary_dropout": 0.2,
    "grid_dropout": 0.1,
    "co_predictor": True,
    "co_predictor_width": 7,
    "layer_norm": True,
    "distance_embedding": True,
    "triangle_mask": True,
    "none_bias": 2.5,
}


def make_model(**settings):
    return build_gapdner_v1(fixed_vectors(), TAGGING, **{**SETTINGS, **settings})


@pytest.mark.parametrize(
    "settings", [{}, {"triangle_mask": False, "biaffine": False, "distance_embedding": False}]
)
def test_architecture_builds_its_network(settings):
    model = initialize_model(make_model(**settings), N_CHANNELS)
    assert (model.name, model.attrs["tagging"]) == ("gapdner", TAGGING)
    built = network_of(model)
    assert type(built) is GapDNERNetwork
    assert (built.n_in, built.n_channels) == (WIDTH, N_CHANNELS)
    # every setting reaches the network
    expected = GapDNERNetwork(WIDTH, TAGGING.layout(2), GapDNERSettings(**{**SETTINGS, **settings}))
    assert str(built) == str(expected)
    assert [p.shape for p in built.parameters()] == [p.shape for p in expected.parameters()]
    assert torch.equal(built.triangle_mask.impossible, expected.triangle_mask.impossible)
    assert built.classifier.bias.tolist() == [-2.5] * N_CHANNELS


def test_the_number_of_channels_may_be_known_before():
    model = make_model(nO=N_CHANNELS)
    model.initialize(X=make_input())
    assert model.get_dim("nO") == N_CHANNELS
    assert model.predict(make_input())[0].shape == (3, 3, N_CHANNELS)


@pytest.mark.parametrize("n_types", [1, 2, 7])
@pytest.mark.parametrize(
    "tagging",
    [
        SoftmaxTagging(),
        MultilabelTagging(),
        MultilabelTagging(per_type=True),
        W2NERTagging(),
        TOETagging(),
    ],
    ids=lambda tagging: f"{tagging.name}",
)
def test_the_labels_follow_from_the_number_of_channels(tagging, n_types):
    layout = tagging.layout(n_types)
    model = build_gapdner_v1(fixed_vectors(), tagging, **SETTINGS, nO=layout.n_channels)
    model.initialize(X=make_input())
    expected = TriangleMask(layout, True).impossible
    assert torch.equal(network_of(model).triangle_mask.impossible, expected)


def test_a_number_of_channels_that_no_labels_have():
    model = build_gapdner_v1(fixed_vectors(), TOETagging(), **SETTINGS, nO=5)
    with pytest.raises(ValueError, match="nO is 5, but TOETagging makes no grid"):
        model.initialize(X=make_input())


@pytest.mark.parametrize(
    "name", ["hidden_width", "boundary_width", "grid_width", "attention_width", "max_batch_cells"]
)
def test_sizes_must_be_positive(name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, but it is 0"):
        make_model(**{name: 0})


@pytest.mark.parametrize("name", ["word_dropout", "boundary_dropout", "grid_dropout"])
@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_dropout_rates_must_be_rates(name, rate):
    with pytest.raises(
        ValueError, match=f"{name} must be at least 0 and below 1, but it is {rate}"
    ):
        make_model(**{name: rate})


def test_an_odd_hidden_width_is_refused_only_with_the_bilstm():
    with pytest.raises(ValueError, match="hidden_width must be even, but it is 7"):
        initialize_model(make_model(hidden_width=7), N_CHANNELS)
    model = initialize_model(make_model(hidden_width=7, bilstm=False), N_CHANNELS)
    assert model.predict(make_input())[0].shape == (3, 3, 4)
