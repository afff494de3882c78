"""Span boundaries: the biaffine features of a head and a tail token (Equations 5 to 7)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class FeedForward(nn.Sequential):
    """Our reading of the paper's MLP, of which it gives no detail: a linear layer, GELU, dropout.

    n_in (int): Input width.
    n_out (int): Output width.
    dropout (float): Dropout rate of the output.
    """

    def __init__(self, n_in: int, n_out: int, dropout: float) -> None:
        super().__init__(nn.Linear(n_in, n_out), nn.GELU(), nn.Dropout(dropout))


class Biaffine(nn.Module):
    """Boundary features `head_i U1 tail_j + [head_i; tail_j] U2 + b1` (Equation 7).

    n_in (int): Width of the head and tail representations.
    n_out (int): Width of the features.
    """

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.n_out = n_out
        self.bilinear = nn.Parameter(torch.empty(n_in, n_in, n_out))
        self.linear = nn.Linear(2 * n_in, n_out)
        nn.init.xavier_uniform_(self.bilinear)

    def forward(self, heads: Tensor, tails: Tensor) -> Tensor:
        """Combine every head with every tail.

        heads (Tensor): Head representations.
            *Shape:* `(batch, n, n_in)`
        tails (Tensor): Tail representations.
            *Shape:* `(batch, n, n_in)`
        RETURNS (Tensor): Features of each (head, tail).
            *Shape:* `(batch, n, n, n_out)`
        """
        batch, n, n_in = heads.shape
        # (n_in, n_in, n_out) x (batch, n, n_in) -> (batch, n_in, n, n_out): in this order, the
        # product with the heads comes out contiguous
        mapped = torch.einsum("hto,bjt->bhjo", self.bilinear, tails)
        products = heads @ mapped.reshape(batch, n_in, n * self.n_out)
        head_weight, tail_weight = self.linear.weight.split(n_in, dim=1)
        head_part = F.linear(heads, head_weight).unsqueeze(2)
        tail_part = F.linear(tails, tail_weight, self.linear.bias).unsqueeze(1)
        return products.view(batch, n, n, self.n_out) + head_part + tail_part


class Concatenation(nn.Module):
    """Boundary features `[head_i; tail_j]`, the paper's ablation "w/o Biaffine".

    n_in (int): Width of the head and tail representations.
    """

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.n_out = 2 * n_in

    def forward(self, heads: Tensor, tails: Tensor) -> Tensor:
        """Pair every head with every tail.

        heads (Tensor): Head representations.
            *Shape:* `(batch, n, n_in)`
        tails (Tensor): Tail representations.
            *Shape:* `(batch, n, n_in)`
        RETURNS (Tensor): Both, side by side.
            *Shape:* `(batch, n, n, 2 * n_in)`
        """
        batch, n, n_in = heads.shape
        rows = heads.unsqueeze(2).expand(batch, n, n, n_in)
        columns = tails.unsqueeze(1).expand(batch, n, n, n_in)
        return torch.cat([rows, columns], dim=-1)
