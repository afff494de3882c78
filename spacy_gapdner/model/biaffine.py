"""Span boundaries: the features of a head and a tail token (Equations 5 to 7)."""

from typing import NamedTuple

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


class BiaffineWeights(NamedTuple):
    """The parameters of `biaffine`.

    bilinear (Tensor): U1, shape `(n_in, n_in, n_out)`.
    linear (Tensor): U2 transposed, the heads' part first, shape `(n_out, 2 * n_in)`.
    bias (Tensor): b1, shape `(n_out,)`.
    """

    bilinear: Tensor
    linear: Tensor
    bias: Tensor

    def fold(self, projection: Tensor) -> "BiaffineWeights":
        """Fold a projection of the features into the weights; exact, as nothing stands between.

        projection (Tensor): Its matrix, shape `(width, n_out)`.
        RETURNS (BiaffineWeights): Weights that give projected features.
        """
        return BiaffineWeights(
            self.bilinear @ projection.T, projection @ self.linear, projection @ self.bias
        )


def biaffine(heads: Tensor, tails: Tensor, weights: BiaffineWeights) -> Tensor:
    """Compute `head_i U1 tail_j + [head_i; tail_j] U2 + b1` (Equation 7) without concatenations.

    heads (Tensor): Head representations.
        *Shape:* `(batch, rows, n_in)`
    tails (Tensor): Tail representations.
        *Shape:* `(batch, n, n_in)`
    weights (BiaffineWeights): The parameters.
    RETURNS (Tensor): Features of each (head, tail).
        *Shape:* `(batch, rows, n, n_out)`
    """
    batch, n, n_in = tails.shape
    n_out = len(weights.bias)
    head_weight, tail_weight = weights.linear.split(n_in, dim=1)
    # U1 tail_j + (U2 of the head), as (n_in, batch * n, n_out): one product for each entry of a
    # head, whose result the product with the heads can read as it lies
    flat = tails.reshape(1, batch * n, n_in).expand(n_in, -1, -1)
    mapped = torch.baddbmm(head_weight.T.unsqueeze(1), flat, weights.bilinear)
    mapped = mapped.view(n_in, batch, n * n_out).transpose(0, 1)
    by_tail = F.linear(tails, tail_weight, weights.bias).view(batch, 1, n * n_out)
    return torch.baddbmm(by_tail, heads, mapped).view(batch, -1, n, n_out)


class Biaffine(nn.Module):
    """Boundary features of every head with every tail (Equation 7).

    n_in (int): Width of the head and tail representations.
    n_out (int): Width of the features.
    """

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.n_in = n_in
        self.n_out = n_out
        self.bilinear = nn.Parameter(torch.empty(n_in, n_in, n_out))
        self.linear = nn.Linear(2 * n_in, n_out)
        nn.init.xavier_uniform_(self.bilinear)

    @property
    def weights(self) -> BiaffineWeights:
        """RETURNS (BiaffineWeights): The parameters."""
        return BiaffineWeights(self.bilinear, self.linear.weight, self.linear.bias)

    def forward(self, heads: Tensor, tails: Tensor) -> Tensor:
        """Combine heads and tails; see `biaffine`."""
        return biaffine(heads, tails, self.weights)

    def project(self, heads: Tensor, tails: Tensor, projection: Tensor, added: Tensor) -> Tensor:
        """Compute `self(heads, tails) @ projection.T + added`, with the projection folded into U1
        where that is less work: on many cells, and if it does not widen the features much.

        heads (Tensor): Head representations.
            *Shape:* `(batch, rows, n_in)`
        tails (Tensor): Tail representations.
            *Shape:* `(batch, n, n_in)`
        projection (Tensor): Matrix of the projection.
            *Shape:* `(width, n_out)`
        added (Tensor): What is added; its first dimension may be 1. Without gradient its memory is
            taken for the result.
            *Shape:* `(batch, rows, n, width)`
        RETURNS (Tensor): Projected features.
            *Shape:* `(batch, rows, n, width)`
        """
        batch, n, _ = tails.shape
        n_rows, width = heads.shape[1], len(projection)
        if self.folding_pays(batch * n, batch * n_rows * n, width):
            features = biaffine(heads, tails, self.weights.fold(projection))
            features += added
            return features
        features = self(heads, tails).view(batch, n_rows * n, self.n_out)
        matrix = projection.T.expand(batch, -1, -1)
        # autocasting leaves operations in place alone
        fits = len(added) == batch and added.dtype == features.dtype == matrix.dtype
        if fits and not torch.is_grad_enabled():
            added.view(batch, n_rows * n, width).baddbmm_(features, matrix)
            return added
        added = added.reshape(-1, n_rows * n, width)
        return torch.baddbmm(added, features, matrix).view(batch, n_rows, n, width)

    def folding_pays(self, n_words: int, n_cells: int, width: int) -> bool:
        """Count the multiplications with and without folding.

        n_words (int): Number of tails.
        n_cells (int): Number of pairs of a head and a tail.
        width (int): Width of the projected features.
        RETURNS (bool): Whether folding takes fewer.
        """
        d, n_out = self.n_in, self.n_out
        plain = n_words * d * d * n_out + n_cells * (d + width) * n_out
        folded = (d * d * n_out + n_words * d * d + n_cells * d) * width
        return folded < plain


class Concatenation(nn.Module):
    """Boundary features `[head_i; tail_j]`, the paper's ablation "w/o Biaffine".

    n_in (int): Width of the head and tail representations.
    """

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.n_in = n_in
        self.n_out = 2 * n_in

    def forward(self, heads: Tensor, tails: Tensor) -> Tensor:
        """Pair every head with every tail.

        heads (Tensor): Head representations.
            *Shape:* `(batch, rows, n_in)`
        tails (Tensor): Tail representations.
            *Shape:* `(batch, n, n_in)`
        RETURNS (Tensor): Both, side by side.
            *Shape:* `(batch, rows, n, 2 * n_in)`
        """
        pairs = torch.broadcast_tensors(heads.unsqueeze(2), tails.unsqueeze(1))
        return torch.cat(pairs, dim=-1)

    def project(self, heads: Tensor, tails: Tensor, projection: Tensor, added: Tensor) -> Tensor:
        """Compute `self(heads, tails) @ projection.T + added` without building the concatenation;
        see `Biaffine.project`."""
        head_part, tail_part = projection.split(self.n_in, dim=1)
        return (
            F.linear(heads, head_part).unsqueeze(2)
            + F.linear(tails, tail_part).unsqueeze(1)
            + added
        )


class CoPredictor(nn.Module):
    """Scores of the labels straight from head and tail, to be added to those of the grid (Li et
    al. 2022, W2NER, section "Co-Predictor Layer"; there the biaffine half of it).

    Its gradient reaches the word representations without passing through the grid's features, so
    that a network learns its labels much earlier. Not in the paper.

    n_in (int): Width of the token representations.
    width (int): Width of the head and tail representations.
    n_out (int): Number of labels.
    dropout (float): Dropout rate of the head and tail representations.
    """

    def __init__(self, n_in: int, width: int, n_out: int, dropout: float) -> None:
        super().__init__()
        self.head = FeedForward(n_in, width, dropout)
        self.tail = FeedForward(n_in, width, dropout)
        self.biaffine = Biaffine(width, n_out)

    def forward(self, hidden: Tensor) -> Tensor:
        """Score the labels of every cell.

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, n_in)`
        RETURNS (Tensor): Logits.
            *Shape:* `(batch, n, n, n_out)`
        """
        return self.biaffine(self.head(hidden), self.tail(hidden))
