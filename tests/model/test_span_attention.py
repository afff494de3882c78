import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.model.span_attention import SpanAttention


def given_scores():
    """A layer whose input is the scores above the diagonal and below it."""
    layer = SpanAttention(2)
    for part, weight in ((layer.upper, [[1.0, 0.0]]), (layer.lower, [[0.0, 1.0]])):
        part.weight = torch.nn.Parameter(torch.tensor(weight))
        torch.nn.init.zeros_(part.bias)
    return layer


def define(scores, values):
    """The softmax-weighted mean of every span, in float64 by one softmax a span."""
    n = scores.shape[1]
    rows = []
    for i in range(n):
        for j in range(n):
            span = slice(min(i, j), max(i, j) + 1)
            weights = scores[:, span, int(i > j)].double().softmax(dim=1)
            rows.append((weights.unsqueeze(-1) * values[:, span].double()).sum(dim=1))
    return torch.stack(rows, dim=1).unflatten(1, (n, n))


def compute(layer, hidden, values):
    """What the layer adds to a grid of zeros."""
    batch, n, width = values.shape
    grid = torch.zeros(batch, n * n, width, dtype=values.dtype)
    return layer(hidden, values, grid).view(batch, n, n, width)


@settings(max_examples=20)
@given(
    n=st.integers(1, 16) | st.just(40),
    spread=st.sampled_from([0.0, 1.0, 5.0, 50.0, 200.0]),
    offset=st.sampled_from([0.0, -500.0, 500.0]),
    seed=st.integers(0, 2**16),
)
def test_is_the_definition_for_any_scores(n, spread, offset, seed):
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(2, n, 2, generator=generator).double() * spread + offset
    values = torch.rand(2, n, 3, generator=generator).double() * 2 - 1
    with torch.no_grad():
        actual = compute(given_scores().double(), scores, values)
        torch.testing.assert_close(actual, define(scores, values), rtol=0, atol=1e-9)
        # scores of hundreds have few digits after the point
        scores, values, atol = scores.float(), values.float(), 5e-5 if spread > 50 else 1e-5
        actual = compute(given_scores(), scores, values)
    assert actual.dtype == torch.float32
    torch.testing.assert_close(actual.double(), define(scores, values), rtol=0, atol=atol)
