import equations
import pytest
import torch
from equations import assert_same, biaffine, bilstm, by_cell, gelu, linear, regularity
from grid_models import SETTINGS, score
from torch import nn
from torch.nn import functional as F

from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.model import criss_cross, encoder, network
from spacy_gapdner.model.biaffine import Biaffine
from spacy_gapdner.model.network import GapDNERNetwork, GapDNERSettings

N_IN = 5


def make_network(n_in=N_IN, **settings):
    channels = GapAwareTagging().channels(["A", "B"])
    return GapDNERNetwork(n_in, channels, GapDNERSettings(**{**SETTINGS, **settings}))


def make_batch(lengths):
    words = torch.randn(len(lengths), max(lengths), N_IN, dtype=torch.float64)
    for row, n in enumerate(lengths):
        words[row, n:] = 0
    return words.requires_grad_(), torch.tensor(lengths)


def forward_by_equations(net, words):
    """The scores of one sentence after dropout."""
    hidden = bilstm(words, net.bilstm.lstm) if net.bilstm else words
    heads, tails = gelu(linear(hidden, net.head[0])), gelu(linear(hidden, net.tail[0]))
    boundary = net.boundary
    if isinstance(boundary, Biaffine):
        u2, b1 = boundary.linear.weight.T, boundary.linear.bias
        spans = biaffine(heads, tails, boundary.bilinear, u2, b1)
    else:
        spans = by_cell(len(words), lambda i, j: torch.cat([heads[i], tails[j]]))
    weight = net.from_boundary.weight
    if net.span_attention:
        inner = regularity(hidden, net.span_attention.upper, net.span_attention.lower)
        spans = torch.cat([spans, inner], dim=-1)
        weight = torch.cat([weight, net.from_tokens.weight], dim=1)
    grid = gelu(spans @ weight.T + net.from_boundary.bias)
    if part := net.criss_cross:
        grid = equations.criss_cross(grid, part.query, part.key, part.value) + grid
    return linear(grid, net.classifier)


def spread_out(net, spread):
    """Increase the differences between the attention scores."""
    with torch.no_grad():
        if net.criss_cross is not None:
            net.criss_cross.query.weight *= spread
            # initially zero
            nn.init.normal_(net.criss_cross.value.weight)
        if net.span_attention is not None:
            net.span_attention.upper.weight *= spread
            net.span_attention.lower.weight *= spread


def compute_both(net, words, lengths):
    """The scores of the words by the network and by the equations, with the same dropout."""
    torch.manual_seed(0)
    scores = score(net, words, lengths)
    torch.manual_seed(0)
    kept = F.dropout(words, SETTINGS["word_dropout"], net.training)
    rows = list(enumerate(lengths.tolist()))
    by_equations = [forward_by_equations(net, kept[i, :n]) for i, n in rows]
    by_network = [scores[i, :n, :n] for i, n in rows]
    return [torch.cat([grid.flatten(0, 1) for grid in x]) for x in (by_network, by_equations)]


@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize(
    ("without", "spread"),
    [("", 1), ("", 20), ("biaffine criss_cross", 500), ("linear_attention", 500), ("bilstm", 0)],
)
def test_network_agrees_with_the_equations(without, spread, is_train):
    net = make_network(**dict.fromkeys(without.split(), False)).double().train(is_train)
    spread_out(net, spread)
    words, lengths = make_batch([3, 1, 5])
    scores = compute_both(net, words, lengths)
    assert_same(*scores, [words, *net.parameters()], atol=1e-7)


def test_initialization_keeps_the_variance():
    """The root mean square of each stage's input and output, for words of variance one."""
    net = make_network(64, hidden_width=64, boundary_width=64, grid_width=64, bilstm=False)
    hidden = torch.randn(8, 20, 64)
    for layer in (net.head, net.tail):
        assert layer(hidden).square().mean().item() == pytest.approx(1, rel=0.2)
    grids = []
    net.activation.register_forward_hook(lambda *args: grids.append(args[-1]))
    scores = score(net.eval(), hidden, torch.tensor([20] * 8))
    # the first call is for heads and tails
    grid = grids[1]
    assert 0.5 < grid.square().mean().item() < 4
    # M'' = M: the criss-cross attention initially adds nothing
    torch.testing.assert_close(scores, net.classifier(grid))


@pytest.mark.parametrize(("block_size", "chunk"), [(10, 1), (400, 400)])
def test_long_sentences_are_computed_in_blocks(monkeypatch, block_size, chunk):
    net = make_network().double().train()
    spread_out(net, 1)
    words, lengths = make_batch([7, 5])
    monkeypatch.setattr(network, "_BLOCK_SIZE", block_size)
    monkeypatch.setattr(criss_cross, "_CHUNK", chunk)
    monkeypatch.setattr(criss_cross, "_KEPT_LENGTH", 1)
    monkeypatch.setattr(encoder, "_MAX_ROWS", 1)
    actual, expected = compute_both(net, words, lengths)
    assert_same(actual, expected, [words, *net.parameters()], atol=1e-9)
    # without gradients, the network uses other code
    with torch.no_grad():
        predicted, _ = compute_both(net, words, lengths)
    torch.testing.assert_close(predicted, expected.detach(), rtol=0, atol=1e-9)
