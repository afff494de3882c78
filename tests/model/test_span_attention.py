import pytest
import torch
from equations import regularity
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.model.span_attention import SpanAttention, pool_spans


def define(scores, values):
    """The softmax-weighted mean of every span, in float64 by one softmax a span."""
    n = scores.shape[1]
    position = torch.arange(n)
    inside = (position[:, None, None] <= position) & (position <= position[None, :, None])
    weights = scores.double()[:, None, None, :].expand(-1, n, n, n)
    weights = weights.masked_fill(~inside, -torch.inf).softmax(dim=-1)
    # spans that end before they start have no tokens
    return torch.nan_to_num(weights) @ values.double()[:, None]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_is_equations_8_to_10(assert_same, n):
    layer = SpanAttention(4).double()
    hidden = torch.randn(2, n, 4, dtype=torch.float64, requires_grad=True)
    expected = torch.stack([regularity(h, layer.upper, layer.lower) for h in hidden])
    assert_same(layer(hidden, hidden), expected, [hidden, *layer.parameters()])


def test_by_hand():
    layer = SpanAttention(1)
    with torch.no_grad():
        # above the diagonal all tokens weigh the same, below it by 2 ** token
        layer.upper.weight.fill_(0.0)
        layer.lower.weight.fill_(torch.log(torch.tensor(2.0)))
    tokens = torch.tensor([[[0.0], [1.0], [2.0]]])
    expected = [[0, 1 / 2, 1], [2 / 3, 1, 3 / 2], [(2 + 2 * 4) / 7, (2 + 2 * 4) / 6, 2]]
    torch.testing.assert_close(layer(tokens, tokens)[0, :, :, 0], torch.tensor(expected))


@pytest.mark.parametrize("n", [1, 6])
def test_projecting_before_pooling_is_projecting_after(assert_same, n):
    layer = SpanAttention(4).double()
    project = torch.nn.Linear(4, 3).double()
    hidden = torch.randn(2, n, 4, dtype=torch.float64, requires_grad=True)
    tensors = [hidden, *layer.parameters(), *project.parameters()]
    assert_same(layer(hidden, project(hidden)), project(layer(hidden, hidden)), tensors)


@settings(max_examples=40)
@given(
    n=st.integers(1, 64),
    spread=st.sampled_from([0.0, 1.0, 5.0, 50.0, 200.0]),
    offset=st.sampled_from([0.0, -500.0, 500.0]),
    seed=st.integers(0, 2**16),
)
def test_is_the_definition_for_any_scores(n, spread, offset, seed):
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(2, n, generator=generator).double() * spread + offset
    values = torch.randn(2, n, 3, generator=generator).double()
    torch.testing.assert_close(
        pool_spans(scores, values), define(scores, values), rtol=0, atol=1e-9
    )


@settings(max_examples=40)
@given(
    n=st.integers(1, 64),
    spread=st.sampled_from([0.0, 1.0, 5.0, 50.0, 200.0]),
    seed=st.integers(0, 2**16),
)
def test_is_the_definition_in_single_precision(n, spread, seed):
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(2, n, generator=generator) * spread
    values = torch.rand(2, n, 3, generator=generator) * 2 - 1
    actual = pool_spans(scores, values)
    assert actual.dtype == torch.float32
    torch.testing.assert_close(actual.double(), define(scores, values), rtol=0, atol=1e-5)


@pytest.mark.parametrize("spread", [1.0, 5.0, 200.0])
@pytest.mark.parametrize("n", [1, 17, 64])
def test_gradient_is_that_of_the_definition(assert_same, n, spread):
    scores = (torch.randn(2, n, dtype=torch.float64) * spread).requires_grad_()
    values = torch.randn(2, n, 3, dtype=torch.float64, requires_grad=True)
    assert_same(pool_spans(scores, values), define(scores, values), [scores, values], atol=1e-9)


@pytest.mark.parametrize("spread", [1.0, 200.0])
def test_gradient_in_single_precision(spread):
    scores, values = torch.randn(1, 64) * spread, torch.randn(1, 64, 3)
    weights = torch.randn(1, 64, 64, 3)
    gradients = []
    for function, dtype in ((pool_spans, torch.float32), (define, torch.float64)):
        tensors = [scores.to(dtype).requires_grad_(), values.to(dtype).requires_grad_()]
        total = (function(*tensors) * weights.to(dtype)).sum()
        gradients.append(torch.autograd.grad(total, tensors))
    for actual, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(actual.double(), expected, rtol=1e-4, atol=1e-3)
