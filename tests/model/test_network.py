from itertools import permutations

import equations
import pytest
import torch
from equations import biaffine, bilstm, bucket, by_cell, gelu, linear, regularity
from grid_models import SETTINGS, score
from torch.nn import functional as F

from spacy_gapdner.grid import SoftmaxTagging
from spacy_gapdner.model import criss_cross, network
from spacy_gapdner.model.network import GapDNERNetwork, GapDNERSettings

PAPER = {
    "co_predictor": False,
    "layer_norm": False,
    "distance_embedding": False,
    "triangle_mask": False,
    "none_bias": 0.0,
}
N_IN = 5


def make_network(**settings):
    layout = SoftmaxTagging().layout(["A", "B"])
    return GapDNERNetwork(N_IN, layout, GapDNERSettings(**{**SETTINGS, **settings}))


def make_batch(lengths, dtype=torch.float64):
    words = torch.randn(len(lengths), max(lengths), N_IN, dtype=dtype)
    for row, n in enumerate(lengths):
        words[row, n:] = 0
    return words.requires_grad_(), torch.tensor(lengths)


def forward_by_equations(net, words, switches, kept):
    """The scores of one sentence; of dropout, that of the channels of M alone."""
    hidden = bilstm(words, net.bilstm.lstm) if switches["bilstm"] else words
    heads, tails = gelu(linear(hidden, net.head[0])), gelu(linear(hidden, net.tail[0]))
    if switches["biaffine"]:
        boundary = net.boundary
        u2, b1 = boundary.linear.weight.T, boundary.linear.bias
        spans = biaffine(heads, tails, boundary.bilinear, u2, b1)
    else:
        spans = by_cell(len(words), lambda i, j: torch.cat([heads[i], tails[j]]))
    weight = net.from_boundary.weight
    if switches["linear_attention"]:
        inner = regularity(hidden, net.span_attention.upper, net.span_attention.lower)
        spans = torch.cat([spans, inner], dim=-1)
        weight = torch.cat([weight, net.from_tokens.weight], dim=1)
    features = spans @ weight.T + net.from_boundary.bias
    if switches["distance_embedding"]:
        features = features + by_cell(len(words), lambda i, j: net.distance.weight[bucket(i, j)])
    grid = gelu(features)
    if switches["layer_norm"]:
        grid = F.layer_norm(grid, grid.shape[-1:], net.norm.weight, net.norm.bias)
    grid = grid * kept
    if switches["criss_cross"]:
        part = net.criss_cross
        grid = equations.criss_cross(grid, part.query, part.key, part.value) + grid
    scores = linear(grid, net.classifier)
    if switches["co_predictor"]:
        part = net.co_predictor
        heads, tails = gelu(linear(hidden, part.head[0])), gelu(linear(hidden, part.tail[0]))
        u2, b1 = part.biaffine.linear.weight.T, part.biaffine.linear.bias
        scores = scores + biaffine(heads, tails, part.biaffine.bilinear, u2, b1)
    if switches["triangle_mask"]:
        for i, j in permutations(range(len(words)), 2):
            # types above the diagonal, Frag and Gap below it
            scores[i, j, slice(3, 5) if i < j else slice(1, 3)] = -1e4
    return scores


def make_spread(net, spread):
    """Make the attentions' scores far apart."""
    with torch.no_grad():
        if net.criss_cross is not None:
            net.criss_cross.query.weight *= spread
        if net.span_attention is not None:
            net.span_attention.upper.weight *= spread
            net.span_attention.lower.weight *= spread


def compute_both(net, words, lengths, switches):
    """The scores of the words by the network and by the equations."""
    torch.manual_seed(0)
    scores = score(net, words, lengths)
    torch.manual_seed(0)
    channels = words.new_ones(len(words), net.classifier.in_features)
    kept = F.dropout(channels, net.grid_dropout, net.training)
    rows = list(enumerate(lengths.tolist()))
    by_equations = [forward_by_equations(net, words[i, :n], switches, kept[i]) for i, n in rows]
    return (
        torch.cat([scores[i, :n, :n].flatten(0, 1) for i, n in rows]),
        torch.cat([grid.flatten(0, 1) for grid in by_equations]),
    )


@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize(
    ("switches", "spread"),
    [
        (PAPER, 1),
        ({}, 20),
        ({**PAPER, "biaffine": False, "criss_cross": False}, 500),
        ({**PAPER, "linear_attention": False, "layer_norm": True}, 500),
        ({**PAPER, "bilstm": False, "distance_embedding": True}, 0),
    ],
)
def test_is_the_paper_s_equations(assert_same, switches, spread, is_train):
    switches = {**SETTINGS, **switches, "word_dropout": 0.0, "boundary_dropout": 0.0}
    net = make_network(**switches).double().train(is_train)
    make_spread(net, spread)
    words, lengths = make_batch([3, 1, 5])
    scores = compute_both(net, words, lengths, switches)
    assert_same(*scores, [words, *net.parameters()], atol=1e-7)


def test_weights_keep_their_names_and_shapes():
    """Pipelines that are saved hold them."""
    shapes = {name: list(weights.shape) for name, weights in make_network().state_dict().items()}
    lstm = {"weight_ih": [12, 5], "weight_hh": [12, 3], "bias_ih": [12], "bias_hh": [12]}
    linear = {
        "head.0": (3, 6),
        "tail.0": (3, 6),
        "boundary.linear": (3, 6),
        "from_boundary": (4, 3),
        "span_attention.upper": (1, 6),
        "span_attention.lower": (1, 6),
        "criss_cross.query": (2, 4),
        "criss_cross.key": (2, 4),
        "criss_cross.value": (4, 4),
        "co_predictor.head.0": (5, 6),
        "co_predictor.tail.0": (5, 6),
        "co_predictor.biaffine.linear": (5, 10),
        "classifier": (5, 4),
    }
    assert shapes == {
        **{f"bilstm.lstm.{name}_l0": shape for name, shape in lstm.items()},
        **{f"bilstm.lstm.{name}_l0_reverse": shape for name, shape in lstm.items()},
        **{f"{name}.weight": list(shape) for name, shape in linear.items()},
        **{f"{name}.bias": [shape[0]] for name, shape in linear.items()},
        "boundary.bilinear": [3, 3, 3],
        "co_predictor.biaffine.bilinear": [5, 5, 5],
        "from_tokens.weight": [4, 6],
        "distance.weight": [17, 4],
        "norm.weight": [4],
        "norm.bias": [4],
    }


@pytest.mark.parametrize("dropout", ["word_dropout", "boundary_dropout", "grid_dropout"])
def test_dropout_acts_in_training_only(dropout):
    off = {"word_dropout": 0.0, "boundary_dropout": 0.0, "grid_dropout": 0.0}
    inputs = make_batch([6], torch.float32)
    # wide, so that not all or none of the channels are dropped twice
    for rate, is_train in [(0.5, False), (0.5, True), (0.0, True)]:
        net = make_network(**{**off, dropout: rate}, grid_width=32).train(is_train)
        same = torch.equal(score(net, *inputs), score(net, *inputs))
        assert same == (rate == 0.0 or not is_train)


@pytest.mark.parametrize(("block_size", "chunk"), [(10, 1), (400, 400)])
def test_long_sentences_are_computed_in_blocks(assert_same, monkeypatch, block_size, chunk):
    switches = {**SETTINGS, "word_dropout": 0.0, "boundary_dropout": 0.0}
    net = make_network(**switches).double().train()
    words, lengths = make_batch([7, 5])
    for module, name, value in [
        (network, "_BLOCK_SIZE", block_size),
        (criss_cross, "_CHUNK", chunk),
        (criss_cross, "_KEPT_LENGTH", 1),
    ]:
        monkeypatch.setattr(module, name, value)
    actual, expected = compute_both(net, words, lengths, switches)
    assert_same(actual, expected, [words, *net.parameters()], atol=1e-9)
    # without gradients it takes other ways
    with torch.no_grad():
        predicted, _ = compute_both(net, words, lengths, switches)
    torch.testing.assert_close(predicted, expected.detach(), rtol=0, atol=1e-9)
