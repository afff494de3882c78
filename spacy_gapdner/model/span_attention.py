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

    def forward(self, hidden: Tensor, values: Tensor, rows: slice = slice(None)) -> Tensor:
        """Pool the values of each span's tokens.

        hidden (Tensor): Token representations H, which give the attention scores.
            *Shape:* `(batch, n, n_in)`
        values (Tensor): What is pooled: H itself, or a linear projection of it. The weights of a
            span sum to one, so projecting before pooling or after is the same.
            *Shape:* `(batch, n, width)`
        rows (slice): The rows of the grid to compute.
        RETURNS (Tensor): At (i, j) the mean over the tokens between i and j, both included.
            *Shape:* `(batch, rows, n, width)`
        """
        return self.attention(hidden, rows) @ values.unsqueeze(1)

    def attention(self, hidden: Tensor, rows: slice = slice(None)) -> Tensor:
        """Compute the weights of the tokens (Equation 9).

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, n_in)`
        rows (slice): The rows of the grid to compute.
        RETURNS (Tensor): At (i, j) the weight of each token for the span, 0 outside of it.
            *Shape:* `(batch, rows, n, n)`
        """
        token = torch.arange(hidden.shape[1], device=hidden.device)
        row, column = token[rows, None], token[None, :]
        first, last = torch.minimum(row, column), torch.maximum(row, column)
        outside = (token < first.unsqueeze(-1)) | (last.unsqueeze(-1) < token)
        upper, lower = (layer(hidden)[:, None, None, :, 0] for layer in (self.upper, self.lower))
        scores = torch.where((row <= column).unsqueeze(-1), upper, lower)
        return scores.masked_fill_(outside, -torch.inf).softmax(dim=-1)

    def add_to(self, grid: Tensor, hidden: Tensor, values: Tensor, rows: slice) -> Tensor:
        """Compute `grid + self(hidden, values, rows)` by one product of matrices.

        grid (Tensor): The summand; its first dimension may be 1.
            *Shape:* `(batch, rows, n, width)`
        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, n_in)`
        values (Tensor): What is pooled.
            *Shape:* `(batch, n, width)`
        rows (slice): The rows of the grid.
        RETURNS (Tensor): The sum.
            *Shape:* `(batch, rows, n, width)`
        """
        batch, n, width = values.shape
        weights = self.attention(hidden, rows).to(values.dtype).flatten(1, 2)
        grid = grid.to(values.dtype).reshape(len(grid), -1, width)
        return torch.baddbmm(grid, weights, values).view(batch, -1, n, width)

    def scan_to(self, grid: Tensor, hidden: Tensor, values: Tensor, rows: slice) -> Tensor:
        """Compute what `add_to` does in `O(rows * n * width)` instead of `O(rows * n^2 * width)`,
        token by token and without gradient: for predicting long sentences.

        The mean over i..j follows from that over i..j-1: the new token enters with its share of
        the weight, `exp(a_j) / sum_k exp(a_k)`, which is a sigmoid of a_j minus the log of the sum
        so far. Prefix sums would be as fast, but lose all precision once the scores spread. Below
        the diagonal the spans grow at their heads.

        grid (Tensor): The summand; its first dimension may be 1.
            *Shape:* `(batch, rows, n, width)`
        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, n_in)`
        values (Tensor): What is pooled.
            *Shape:* `(batch, n, width)`
        rows (slice): The rows of the grid.
        RETURNS (Tensor): The sum.
            *Shape:* `(batch, rows, n, width)`
        """
        batch, n, _ = values.shape
        start, stop, _ = rows.indices(n)
        grid = grid.expand(batch, -1, -1, -1).clone()
        # the spans that begin in these rows, from left to right
        means = _RunningMeans(self.upper(hidden), values, stop - start)
        for column in range(start, n):
            spans = slice(0, min(column + 1, stop) - start)
            grid[:, spans, column] += means.enter(column, spans)
        # the spans that end in these rows, from right to left; a single token is counted already
        means = _RunningMeans(self.lower(hidden), values, stop - start)
        for column in range(stop - 1, -1, -1):
            spans = slice(max(column - start, 0), stop - start)
            below = slice(1 if column >= start else 0, None)
            grid[:, spans, column][:, below] += means.enter(column, spans)[:, below]
        return grid


class _RunningMeans:
    """The softmax-weighted means of a row of spans, while tokens enter them."""

    def __init__(self, scores: Tensor, values: Tensor, n_spans: int) -> None:
        batch, _, width = values.shape
        # float32 also under autocasting: the shares of long spans are small
        self.scores = scores.float() if scores.dtype.itemsize < 4 else scores
        # the shares depend on differences alone; without a common offset these keep their digits
        self.scores = self.scores - self.scores.amax(dim=1, keepdim=True)
        self.values = values.to(self.scores.dtype)
        self.means = self.values.new_zeros(batch, n_spans, width)
        self.logsums = self.scores.new_full((batch, n_spans, 1), -torch.inf)

    def enter(self, token: int, spans: slice) -> Tensor:
        score, value = self.scores[:, token, None], self.values[:, token, None]
        means, logsums = self.means[:, spans], self.logsums[:, spans]
        # the first token of a span: its share is 1, as the sum so far is 0
        means.lerp_(value, torch.sigmoid(score - logsums))
        torch.logaddexp(logsums, score, out=logsums)
        return means
