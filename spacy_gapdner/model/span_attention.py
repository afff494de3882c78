"""Linear attention over the tokens of every span (Equations 8 to 10)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


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

    def forward(self, hidden: Tensor, values: Tensor) -> Tensor:
        """Pool the values of each span's tokens.

        hidden (Tensor): Token representations H, which give the attention scores.
            *Shape:* `(batch, n, n_in)`
        values (Tensor): What is pooled: H itself, or a linear projection of it. The weights of a
            span sum to one, so projecting before pooling or after is the same.
            *Shape:* `(batch, n, width)`
        RETURNS (Tensor): At (i, j) the mean over the tokens between i and j, both included.
            *Shape:* `(batch, n, n, width)`
        """
        upper = pool_spans(self.upper(hidden).squeeze(-1), values)
        lower = pool_spans(self.lower(hidden).squeeze(-1), values).transpose(1, 2)
        n = hidden.shape[1]
        is_upper = torch.ones(n, n, dtype=torch.bool, device=hidden.device).triu()
        return torch.where(is_upper[None, :, :, None], upper, lower)


def pool_spans(scores: Tensor, values: Tensor) -> Tensor:
    """Softmax-weighted mean of the values of every span, in O(n^2) and stable for any scores.

    The mean over i..j follows from that over i..j-1: the new token enters with its share of the
    weight, `exp(a_j) / sum_k exp(a_k)`, which is a sigmoid of a_j minus the log of the sum so
    far. Prefix sums would be as fast, but lose all precision once the scores spread.

    scores (Tensor): Attention scores a of the tokens.
        *Shape:* `(batch, n)`
    values (Tensor): Values of the tokens.
        *Shape:* `(batch, n, width)`
    RETURNS (Tensor): Means for i <= j; zeros elsewhere.
        *Shape:* `(batch, n, n, width)`
    """
    n = scores.shape[1]
    columns = []
    # per start i < j: mean and log-sum-exp of the scores over i..j-1
    means, logsums = values[:, :0], scores[:, :0]
    for j in range(n):
        score, value = scores[:, j : j + 1], values[:, j : j + 1]
        share = torch.sigmoid(score - logsums).unsqueeze(-1)
        means = torch.cat([torch.lerp(means, value, share), value], dim=1)
        logsums = torch.cat([torch.logaddexp(logsums, score), score], dim=1)
        columns.append(F.pad(means, (0, 0, 0, n - j - 1)))
    return torch.stack(columns, dim=2)
