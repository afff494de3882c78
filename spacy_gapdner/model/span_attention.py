"""Compute the linear attention over the tokens of each span (Equations 8 to 10)."""

from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

# A softmax over fewer scores takes ten times as long on a CPU, which computes this many at a time.
_LEAST_KEYS = 16
# Maximum length of the sentences whose mask is computed once (8 MB)
_SHORT = 128


class SpanAttention(nn.Module):
    """Regularity features: the attention-weighted mean of the tokens in each span. The upper
    triangle (head, tail) and the lower triangle (tail, head) use separate weights.
    """

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.upper = nn.Linear(n_in, 1)
        self.lower = nn.Linear(n_in, 1)

    def forward(self, scores: Tensor, values: Tensor, rows: slice = slice(None)) -> Tensor:
        """Pool the values of the tokens in each span.

        scores (Tensor): The scores of the tokens in the upper and the lower triangle
            `(batch, n, 2)` (Equation 8).
        values (Tensor): The values to pool `(batch, n, width)`: H or a linear projection of it. The
            weights of a span sum to one, so H can be projected before or after pooling.
        rows (slice): The rows of the grid to compute.
        RETURNS (Tensor): Features `(batch, rows * n, width)`. The features at (i, j) are the
            weighted mean of the tokens from i to j.
        """
        weights = self._weigh(scores, rows).to(values.dtype).flatten(1, 2)
        padding = weights.shape[-1] - values.shape[1]
        return torch.bmm(weights, F.pad(values, (0, 0, 0, padding)) if padding else values)

    def _weigh(self, scores: Tensor, rows: slice) -> Tensor:
        # Equation 9: weights of the tokens for each span `(batch, rows, n, keys)`, 0 outside it
        # only the differences between scores matter, so low precision is not enough
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32)).transpose(1, 2)
        # A span in row i extends to the right of token i above the diagonal, and to the left below
        # it. Scores relative to token i are therefore the same for all spans in a row.
        to_the_right, to_the_left = (scores[:, :, None] - scores[:, :, rows, None]).unbind(dim=1)
        n = scores.shape[2]
        token = torch.arange(n, device=scores.device)
        relative = torch.where(token[rows, None] <= token, to_the_right, to_the_left)
        if n < _LEAST_KEYS:
            relative = F.pad(relative, (0, _LEAST_KEYS - n))
        return (relative.unsqueeze(2) + _find_outside(n, rows, token.device)).softmax(dim=-1)


def _find_outside(n: int, rows: slice, device: torch.device) -> Tensor:
    # Added to the scores of the tokens for each span `(rows, n, keys)`: -inf outside the span
    if n <= _SHORT:
        return _mask_short(device)[:n, :n, : max(n, _LEAST_KEYS)][rows]
    return _mask(n, rows, device)


def _mask(n: int, rows: slice, device: torch.device) -> Tensor:
    token = torch.arange(n, device=device, dtype=torch.int32)
    row, column = token[rows, None, None], token[:, None]
    # a token outside a span is on the same side of both its ends
    outside = (token - row) * (token - column) > 0
    return torch.zeros_like(outside, dtype=torch.float32).masked_fill_(outside, -torch.inf)


# computed once, because it does not depend on the sentence
@lru_cache(maxsize=1)
def _mask_short(device: torch.device) -> Tensor:
    return _mask(_SHORT, slice(None), device)
