"""Compute boundary features of head and tail tokens (Equations 5 to 7)."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .initialization import init_linear


def make_feed_forward(n_in: int, n_out: int) -> nn.Sequential:
    """Create a linear layer and GELU. The paper does not specify its MLP."""
    linear = nn.Linear(n_in, n_out)
    init_linear(linear, before_gelu=True)
    return nn.Sequential(linear, nn.GELU())


class PairMap(NamedTuple):
    """A map of pairs of heads and tails to features that is linear in each of them.

    weight (Tensor): Maps a tail to the weights of a head and a constant `(n_out, n_in + 1, n_in)`.
    bias (Tensor): The parts of these weights that do not depend on the tail `(n_out, n_in + 1)`.
    """

    weight: Tensor
    bias: Tensor

    def then(self, linear: nn.Linear) -> "PairMap":
        """RETURNS (PairMap): The map followed by a linear map of its features."""
        weight = linear.weight @ self.weight.flatten(1)
        bias = linear.weight @ self.bias + F.pad(linear.bias.unsqueeze(1), (self.n_in, 0))
        return PairMap(weight.view(-1, *self.weight.shape[1:]), bias)

    def __call__(self, heads: Tensor, tails: Tensor, added: Tensor | None = None) -> Tensor:
        """Map heads `(batch, rows, n_in)` and tails `(batch, n, n_in)` to features of pairs
        `(batch, rows, n, n_out)`, and add features of the same size.
        """
        batch, n, _ = tails.shape
        weights = F.linear(tails, self.weight.flatten(0, 1), self.bias.flatten())
        weights = weights.view(batch, -1, self.n_in + 1).mT
        heads = F.pad(heads, (0, 1), value=1.0)
        if added is None:
            pairs = torch.bmm(heads, weights)
        else:
            pairs = torch.baddbmm(added.view(*heads.shape[:2], -1), heads, weights)
        return pairs.view(batch, -1, n, len(self.weight))

    @property
    def n_in(self) -> int:
        """RETURNS (int): Width of heads and tails."""
        return self.weight.shape[2]


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
        """RETURNS (Tensor): The features of all pairs. See `PairMap`."""
        return self._pair_map()(heads, tails)

    def followed_by(self, linear: nn.Linear) -> PairMap:
        """RETURNS (PairMap): A linear map of the features, combined with the weights, because
        mapping the features of all pairs costs more.
        """
        return self._pair_map().then(linear)

    def _pair_map(self) -> PairMap:
        of_head, of_tail = self.linear.weight.split(self.n_in, dim=1)
        weight = torch.cat([self.bilinear.permute(2, 0, 1), of_tail.unsqueeze(1)], dim=1)
        return PairMap(weight, torch.cat([of_head, self.linear.bias.unsqueeze(1)], dim=1))


class Concatenation(nn.Module):
    """Boundary features `[head_i; tail_j]`, the paper's ablation "w/o Biaffine"."""

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.n_in = n_in
        self.n_out = 2 * n_in

    def followed_by(self, linear: nn.Linear) -> PairMap:
        """RETURNS (PairMap): A linear map of the features. See `Biaffine.followed_by`."""
        of_head, of_tail = linear.weight.split(self.n_in, dim=1)
        weight = F.pad(of_tail.unsqueeze(1), (0, 0, self.n_in, 0))
        return PairMap(weight, torch.cat([of_head, linear.bias.unsqueeze(1)], dim=1))
