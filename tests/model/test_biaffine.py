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


@pytest.mark.parametrize("n", [1, 5])
def test_biaffine_is_equation_7(assert_same, n):
    layer = Biaffine(3, 4).double()
    heads, tails = make_boundaries(n)
    u2, b1 = layer.linear.weight.T, layer.linear.bias
    pairs = zip(heads, tails, strict=True)
    expected = torch.stack([biaffine(h, t, layer.bilinear, u2, b1) for h, t in pairs])
    # of some heads, as long sentences are computed
    actual = torch.cat([layer(heads[:, :1], tails), layer(heads[:, 1:], tails)], dim=1)
    assert_same(actual, expected, [heads, tails, *layer.parameters()])


def test_concatenation_puts_head_before_tail(assert_same):
    layer = Concatenation(3)
    heads, tails = make_boundaries(4)
    pairs = zip(heads, tails, strict=True)
    expected = torch.stack(
        [by_cell(4, lambda i, j, h=h, t=t: torch.cat([h[i], t[j]])) for h, t in pairs]
    )
    assert_same(layer(heads, tails), expected, [heads, tails])
    assert layer.n_out == expected.shape[-1]
