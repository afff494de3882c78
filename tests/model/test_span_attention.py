import torch
from equations import regularity
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.model.span_attention import SpanAttention


def compute(layer, hidden):
    n, width = hidden.shape
    scores = torch.cat([layer.upper(hidden), layer.lower(hidden)], dim=-1)
    return layer(scores[None], hidden[None]).view(n, n, width)


@settings(max_examples=20)
@given(
    n=st.integers(1, 16) | st.sampled_from([40, 130]),
    spread=st.sampled_from([0.0, 1.0, 5.0, 50.0, 200.0]),
    offset=st.sampled_from([0.0, -500.0, 500.0]),
    seed=st.integers(0, 2**16),
)
def test_agrees_with_the_definition_for_any_scores(n, spread, offset, seed):
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.rand(n, 3, generator=generator).double() * 2 - 1
    layer = SpanAttention(3).double()
    with torch.no_grad():
        for part in (layer.upper, layer.lower):
            part.weight *= spread / part.weight.std()
            part.bias.fill_(offset)
        expected = regularity(hidden, layer.upper, layer.lower)
        torch.testing.assert_close(compute(layer, hidden), expected, rtol=0, atol=1e-9)
        # single precision has few decimal places for scores in the hundreds
        actual = compute(layer.float(), hidden.float())
    assert actual.dtype == torch.float32
    atol = 1e-3 if spread > 50 else 1e-4
    torch.testing.assert_close(actual.double(), expected, rtol=0, atol=atol)
