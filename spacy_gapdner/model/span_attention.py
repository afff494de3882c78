"""Linear attention over the tokens of every span (Equations 8 to 10)."""

import torch
from torch import Tensor, nn


class SpanAttention(nn.Module):
    """Regularity features: the attention-weighted mean of the tokens within each span.

    The upper triangle (head, tail) and the lower one (tail, head) score the tokens with separate
    weights; on the diagonal a span is its only token.

    n_in (int): Width of the token representations.
    """

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.upper = nn.Linear(n_in, 1)
        self.lower = nn.Linear(n_in, 1)

    def forward(
        self, hidden: Tensor, values: Tensor, grid: Tensor, rows: slice = slice(None)
    ) -> Tensor:
        """Pool the values of each span's tokens, and add them to the features of the span.

        hidden (Tensor): Token representations H, which give the attention scores.
            *Shape:* `(batch, n, n_in)`
        values (Tensor): What is pooled: H itself, or a linear projection of it. The weights of a
            span sum to one, so projecting before pooling or after is the same.
            *Shape:* `(batch, n, width)`
        grid (Tensor): Features of each span, which are changed in place.
            *Shape:* `(batch, rows * n, width)`
        rows (slice): The rows of the grid to compute.
        RETURNS (Tensor): The features, and at (i, j) added to them the mean over the tokens between
            i and j, both included.
            *Shape:* `(batch, rows * n, width)`
        """
        weights = self.attention(hidden, rows).to(grid.dtype).flatten(1, 2)
        return grid.baddbmm_(weights, values)

    def attention(self, hidden: Tensor, rows: slice = slice(None)) -> Tensor:
        """Compute the weights of the tokens (Equation 9).

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, n_in)`
        rows (slice): The rows of the grid to compute.
        RETURNS (Tensor): At (i, j) the weight of each token for the span, 0 outside of it.
            *Shape:* `(batch, rows, n, n)`
        """
        upper, lower = self.scores(hidden).unsqueeze(2).unbind(dim=1)
        n = hidden.shape[1]
        token = torch.arange(n, device=hidden.device, dtype=torch.int32)
        row, column = token[rows, None], token[None, :]
        # Of the tokens of a span in row i, those to the right of i belong to a span above the
        # diagonal, those to the left to one below. Relative to token i both have one row of scores
        to_the_right = upper - upper[:, :, rows].mT
        to_the_left = lower - lower[:, :, rows].mT
        scores = torch.where(row <= column, to_the_right, to_the_left)
        # a token outside of a span lies on one side of both its ends
        outside = (token - row).unsqueeze(1) * (token - column.mT) > 0
        masked = torch.zeros_like(outside, dtype=scores.dtype).masked_fill_(outside, -torch.inf)
        return (scores.unsqueeze(2) + masked).softmax(dim=-1)

    def scores(self, hidden: Tensor) -> Tensor:
        """Score the tokens (Equation 8).

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, n_in)`
        RETURNS (Tensor): The scores of the upper triangle and those of the lower one.
            *Shape:* `(batch, 2, n)`
        """
        scores = torch.cat([self.upper(hidden), self.lower(hidden)], dim=-1).mT
        # only their differences count
        return scores.float() if scores.dtype.itemsize < 4 else scores
