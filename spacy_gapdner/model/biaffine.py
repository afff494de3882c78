"""Boundary features of head and tail tokens (Equations 5 to 7)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .initialization import init_linear


def make_feed_forward(n_in: int, n_out: int) -> nn.Sequential:
    """Create a linear layer and GELU. The paper does not specify its MLP."""
    linear = nn.Linear(n_in, n_out)
    init_linear(linear, before_gelu=True)
    return nn.Sequential(linear, nn.GELU())


class Biaffine(nn.Module):
    """Boundary features `head_i U1 tail_j + [head_i; tail_j] U2 + b1` of all pairs (Equation 7)."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.n_in = n_in
        self.n_out = n_out
        # U1
        self.bilinear = nn.Parameter(torch.empty(n_in, n_in, n_out))
        # U2, the heads' part first, and b1
        self.linear = nn.Linear(2 * n_in, n_out)
        nn.init.xavier_uniform_(self.bilinear)
        init_linear(self.linear)

    def forward(self, heads: Tensor, tails: Tensor) -> Tensor:
        """Combine heads `(batch, rows, n_in)` and tails `(batch, n, n_in)` into features of pairs
        `(batch, rows, n, n_out)`.
        """
        batch, n, _ = tails.shape
        head_weight, tail_weight = self.linear.weight.split(self.n_in, dim=1)
        # each head is multiplied with U1 tail_j + (U2 of the head): (batch, n * n_out, n_in)
        bilinear = self.bilinear.permute(2, 0, 1).reshape(-1, self.n_in)
        by_head = F.linear(tails, bilinear, head_weight.flatten())
        by_head = by_head.view(batch, n * self.n_out, self.n_in)
        by_tail = F.linear(tails, tail_weight, self.linear.bias).view(batch, 1, n * self.n_out)
        return torch.baddbmm(by_tail, heads, by_head.mT).view(batch, -1, n, self.n_out)


class Concatenation(nn.Module):
    """Boundary features `[head_i; tail_j]`, the paper's ablation "w/o Biaffine"."""

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.n_out = 2 * n_in

    def forward(self, heads: Tensor, tails: Tensor) -> Tensor:
        """Pair every head with every tail. See `Biaffine.forward`."""
        pairs = torch.broadcast_tensors(heads.unsqueeze(2), tails.unsqueeze(1))
        return torch.cat(pairs, dim=-1)
