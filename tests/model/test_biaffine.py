import pytest
import torch
from equations import biaffine, by_cell, gelu, linear

from spacy_gapdner.model.biaffine import Biaffine, Concatenation, FeedForward


def make_boundaries(n, width=3, batch=2):
    return [torch.randn(batch, n, width, dtype=torch.float64, requires_grad=True) for _ in "ht"]


def test_feed_forward_is_a_linear_layer_and_gelu(assert_same):
    layer = FeedForward(4, 3, dropout=0.5).double().eval()
    x = torch.randn(2, 5, 4, dtype=torch.float64, requires_grad=True)
    assert_same(layer(x), gelu(linear(x, layer[0])), [x, *layer.parameters()])


def test_feed_forward_drops_only_in_training():
    layer = FeedForward(4, 1000, dropout=0.5)
    x = torch.ones(1, 1, 4)
    kept = layer.eval()(x)
    assert (kept != 0).all()
    dropped = layer.train()(x)
    is_zero = dropped == 0
    assert 400 < int(is_zero.sum()) < 600
    torch.testing.assert_close(dropped[~is_zero], 2 * kept[~is_zero])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_biaffine_is_equation_7(assert_same, n):
    layer = Biaffine(3, 4).double()
    heads, tails = make_boundaries(n)
    u2, b1 = layer.linear.weight.T, layer.linear.bias
    expected = torch.stack(
        [
            biaffine(head, tail, layer.bilinear, u2, b1)
            for head, tail in zip(heads, tails, strict=True)
        ]
    )
    actual = layer(heads, tails)
    assert actual.shape == (2, n, n, 4)
    assert_same(actual, expected, [heads, tails, layer.bilinear, *layer.linear.parameters()])


def test_biaffine_of_some_heads(assert_same):
    layer = Biaffine(3, 4).double()
    heads, tails = make_boundaries(5)
    actual, expected = layer(heads[:, 1:3], tails), layer(heads, tails)[:, 1:3]
    assert_same(actual, expected, [heads, tails, *layer.parameters()])


def test_biaffine_by_hand():
    layer = Biaffine(2, 1)
    with torch.no_grad():
        layer.bilinear.copy_(torch.tensor([[1.0, 10.0], [100.0, 1000.0]]).unsqueeze(-1))
        layer.linear.weight.copy_(torch.tensor([[0.5, 0.25, 2.0, 4.0]]))
        layer.linear.bias.fill_(-1.0)
    heads, tails = torch.tensor([[[1.0, 2.0], [0, 0]]]), torch.tensor([[[3.0, 1.0], [0, 0]]])
    # head U1 tail: 1*3*1 + 1*1*10 + 2*3*100 + 2*1*1000 = 2613
    # linear part: 1 of the head, 10 of the tail, -1 of the bias
    assert layer(heads, tails)[0, :, :, 0].tolist() == [[2613 + 1 + 10 - 1, 0.0], [9.0, -1.0]]


@pytest.mark.parametrize("n", [1, 4])
def test_concatenation_puts_head_before_tail(assert_same, n):
    layer = Concatenation(3)
    heads, tails = make_boundaries(n)
    expected = torch.stack(
        [
            by_cell(n, lambda i, j, b=b: torch.cat([heads[b, i], tails[b, j]]))
            for b in range(len(heads))
        ]
    )
    actual = layer(heads, tails)
    assert actual.shape == (2, n, n, layer.n_out)
    assert_same(actual, expected, [heads, tails])
    assert list(layer.parameters()) == []
