from functools import partial
from itertools import permutations

import equations
import layer_by_layer
import pytest
import torch
from equations import biaffine, bilstm, bucket, by_cell, gelu, linear, regularity
from grid_models import score
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import layer_norm

from spacy_gapdner.grid import SoftmaxTagging
from spacy_gapdner.model import criss_cross, network
from spacy_gapdner.model.network import GapDNERNetwork, GapDNERSettings

SETTINGS = {
    "hidden_width": 6,
    "boundary_width": 3,
    "grid_width": 4,
    "attention_width": 2,
    "bilstm": True,
    "biaffine": True,
    "linear_attention": True,
    "criss_cross": True,
    "co_predictor": True,
    "co_predictor_width": 5,
    "word_dropout": 0.3,
    "boundary_dropout": 0.3,
    "grid_dropout": 0.1,
    "layer_norm": True,
    "distance_embedding": True,
    "triangle_mask": True,
    "none_bias": 5.0,
}
PAPER = {
    "co_predictor": False,
    "layer_norm": False,
    "distance_embedding": False,
    "triangle_mask": False,
    "none_bias": 0.0,
}
# Each switch with the parameters it stands for
PARTS = {
    "bilstm": "bilstm.",
    "biaffine": "boundary.",
    "linear_attention": ("span_attention.", "from_tokens."),
    "criss_cross": "criss_cross.",
    "co_predictor": "co_predictor.",
    "layer_norm": "norm.",
    "distance_embedding": "distance.",
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


def forward_by_equations(net, words, switches):
    """The scores of one sentence, without dropout."""
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
        grid = layer_norm(grid, grid.shape[-1:], net.norm.weight, net.norm.bias)
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


@pytest.mark.parametrize(
    "switches",
    [
        PAPER,
        {},
        {**PAPER, "biaffine": False, "criss_cross": False},
        {**PAPER, "linear_attention": False, "layer_norm": True},
        {**PAPER, "bilstm": False, "distance_embedding": True},
    ],
)
def test_is_the_paper_s_equations(assert_same, switches):
    net = make_network(**switches).double().eval()
    words, lengths = make_batch([3, 1, 5])
    scores = score(net, words, lengths)
    actual = [scores[row, :n, :n].reshape(-1, 5) for row, n in enumerate(lengths)]
    expected = [
        forward_by_equations(net, words[row, :n], {**SETTINGS, **switches}).reshape(-1, 5)
        for row, n in enumerate(lengths)
    ]
    assert_same(torch.cat(actual), torch.cat(expected), [words, *net.parameters()], atol=1e-9)


@pytest.mark.parametrize("switch", PARTS)
def test_a_part_can_be_left_out(switch):
    net = make_network(**{switch: False})
    assert not any(name.startswith(PARTS[switch]) for name, _ in net.named_parameters())
    words, lengths = make_batch([4, 2], torch.float32)
    scores = score(net, words, lengths)
    assert scores.shape == (2, 4, 4, 5)
    scores[0].sum().backward()
    # what is left is used
    assert all(p.grad is not None for p in net.parameters())


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


def make_spread(net, spread):
    """Make the attentions' scores far apart."""
    with torch.no_grad():
        if net.criss_cross is not None:
            net.criss_cross.query.weight *= spread
        if net.span_attention is not None:
            net.span_attention.upper.weight *= spread
            net.span_attention.lower.weight *= spread


def compute_both(net, words, lengths, seed=0):
    """The scores of the words by the network and layer by layer, with the same dropout."""
    mask = torch.arange(words.shape[1]) < lengths.unsqueeze(1)
    results = []
    for compute in (net.score, partial(layer_by_layer.score, net)):
        torch.manual_seed(seed)
        scores = compute(net.encode(words, lengths), mask)
        results.append(torch.cat([scores[i, :n, :n].flatten(0, 1) for i, n in enumerate(lengths)]))
    return results


SWITCHES = [
    {},
    {"biaffine": False},
    {"linear_attention": False},
    {"criss_cross": False},
    {"distance_embedding": False, "layer_norm": False},
    {"bilstm": False, "linear_attention": False, "distance_embedding": False},
]


@settings(max_examples=30)
@given(
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=3),
    spread=st.sampled_from([0.0, 1.0, 20.0, 500.0]),
    switches=st.sampled_from(SWITCHES),
    is_train=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_scores_and_gradients_are_those_layer_by_layer(lengths, spread, switches, is_train, seed):
    torch.manual_seed(seed)
    net = make_network(**switches, triangle_mask=False).double().train(is_train)
    make_spread(net, spread)
    words, lengths = make_batch(lengths)
    actual, plain = compute_both(net, words, lengths, seed)
    torch.testing.assert_close(actual, plain, rtol=0, atol=1e-9)
    weights = torch.randn_like(plain)
    tensors = [words, *net.parameters()]
    gradients = [
        torch.autograd.grad((result * weights).sum(), tensors, materialize_grads=True)
        for result in (actual, plain)
    ]
    for gradient, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(gradient, expected, rtol=1e-7, atol=1e-7)
    # without gradients it takes other ways
    with torch.no_grad():
        predicted = compute_both(net, words, lengths, seed)[0]
    torch.testing.assert_close(predicted, plain.detach(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("blocks", [1, 40])
@pytest.mark.parametrize("is_train", [False, True])
def test_long_sentences_are_computed_in_blocks(assert_same, monkeypatch, blocks, is_train):
    net = make_network(triangle_mask=False, word_dropout=0.0).double().train(is_train)
    words, lengths = make_batch([11, 8])
    for module, name, value in [
        (network, "_BLOCK_SIZE", 10 * blocks),
        (criss_cross, "_CHUNK", blocks),
        (criss_cross, "_KEPT_LENGTH", 1),
    ]:
        monkeypatch.setattr(module, name, value)
    actual, expected = compute_both(net, words, lengths)
    assert_same(actual, expected, [words, *net.parameters()], atol=1e-9)
    with torch.no_grad():
        predicted = compute_both(net, words, lengths)[0]
    torch.testing.assert_close(predicted, expected.detach(), rtol=0, atol=1e-9)
