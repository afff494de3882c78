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
from spacy_gapdner.model.distance_embedding import DistanceEmbedding
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
    features = spans @ weight.T + net.from_boundary.bias
    if net.distance:
        vectors = net.distance.vectors.weight
        features += by_cell(len(words), lambda i, j: vectors[distance_bucket(j - i)])
    grid = gelu(features)
    if part := net.criss_cross:
        grid = equations.criss_cross(grid, part.query, part.key, part.value) + grid
    return linear(grid, net.classifier)


def distance_bucket(distance):
    """The buckets: -66 and less, -65 to -34, ..., -1, 0, 1, 2, 3, 4 to 5, ..., 66 and more."""
    size = sum(abs(distance) >= start for start in (1, 2, 3, 4, 6, 10, 18, 34, 66))
    return 9 + (size if distance > 0 else -size)


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
@pytest.mark.parametrize("distance", [False, True])
def test_network_agrees_with_the_equations(without, spread, distance, is_train):
    settings = dict.fromkeys(without.split(), False)
    net = make_network(distance_embedding=distance, **settings).double().train(is_train)
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


def test_far_tokens_share_a_vector():
    embedding = DistanceEmbedding(3)
    vectors = embedding(70, slice(68, 70))
    assert vectors.shape == (2, 70, 3)
    for i, row in zip((68, 69), vectors, strict=True):
        for j, vector in enumerate(row):
            assert torch.equal(vector, embedding.vectors.weight[distance_bucket(j - i)])
    assert torch.equal(vectors[1, 0], vectors[0, 2])


def test_grid_features_are_dropped():
    net = make_network(grid_dropout=0.5, criss_cross=False, word_dropout=0.0).double().train()
    words, lengths = make_batch([4])
    grids = []
    net.grid_dropout.register_forward_hook(lambda _, given, found: grids.append((*given, found)))
    score(net, words, lengths)
    ((before, after),) = grids
    is_kept = after != 0
    assert 0.3 < is_kept.double().mean() < 0.7
    torch.testing.assert_close(after[is_kept], 2 * before[is_kept])
    torch.testing.assert_close(score(net.eval(), words, lengths), score(net, words, lengths))


@pytest.mark.parametrize(("block_size", "chunk"), [(10, 1), (400, 400)])
def test_long_sentences_are_computed_in_blocks(monkeypatch, block_size, chunk):
    net = make_network(distance_embedding=True).double().train()
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
