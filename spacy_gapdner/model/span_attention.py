"""Linear attention over the tokens of each span (Equations 8 to 10)."""

import torch
from torch import Tensor, nn


class SpanAttention(nn.Module):
    """Regularity features: the attention-weighted mean of the tokens in each span. The upper
    triangle (head, tail) and the lower triangle (tail, head) use separate weights.
    """

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.upper = nn.Linear(n_in, 1)
        self.lower = nn.Linear(n_in, 1)

    def forward(
        self, hidden: Tensor, values: Tensor, grid: Tensor, rows: slice = slice(None)
    ) -> Tensor:
        """Pool the values of the tokens in each span and add them to the features of the span.

        hidden (Tensor): Token representations H `(batch, n, n_in)`, for the attention scores.
        values (Tensor): The values to pool `(batch, n, width)`: H or a linear projection of it. The
            weights of a span sum to one, so H can be projected before or after pooling.
        grid (Tensor): Features of each span `(batch, rows * n, width)`, changed in place.
        rows (slice): The rows of the grid to compute.
        RETURNS (Tensor): The features `(batch, rows * n, width)`. Those at (i, j) include the
            weighted mean of the tokens from i to j.
        """
        weights = self.attention(hidden, rows).to(grid.dtype).flatten(1, 2)
        return grid.baddbmm_(weights, values)

    def attention(self, hidden: Tensor, rows: slice = slice(None)) -> Tensor:
        """Compute the weights of the tokens (Equation 9).

        hidden (Tensor), rows (slice): See `forward`.
        RETURNS (Tensor): Weights `(batch, rows, n, n)` of all tokens for each span, 0 outside it.
        """
        upper, lower = self.scores(hidden).unsqueeze(2).unbind(dim=1)
        token = torch.arange(hidden.shape[1], device=hidden.device, dtype=torch.int32)
        row, column = token[rows, None], token[None, :]
        # A span in row i extends to the right of token i above the diagonal, and to the left below
        # it. Scores relative to token i are therefore the same for all spans in a row.
        to_the_right = upper - upper[:, :, rows].mT
        to_the_left = lower - lower[:, :, rows].mT
        scores = torch.where(row <= column, to_the_right, to_the_left)
        # a token outside a span is on the same side of both its ends
        outside = (token - row).unsqueeze(1) * (token - column.mT) > 0
        masked = torch.zeros_like(outside, dtype=scores.dtype).masked_fill_(outside, -torch.inf)
        return (scores.unsqueeze(2) + masked).softmax(dim=-1)

    def scores(self, hidden: Tensor) -> Tensor:
        """RETURNS (Tensor): Scores for upper and lower triangle `(batch, 2, n)` (Equation 8)."""
        scores = torch.cat([self.upper(hidden), self.lower(hidden)], dim=-1).mT
        # float32, because only the differences between scores matter
        return scores.float() if scores.dtype.itemsize < 4 else scores
