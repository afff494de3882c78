"""Compute the criss-cross attention over the rows and columns of the grid (Equation 13)."""

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

# Number of weights to compute at a time. They should fit into the processor's cache.
_CHUNK = 2**20
# Relative to the highest score. Lower scores have no effect on a sum in single precision, but exp,
# and products with its result, take ten times as long.
_LOWEST = -40.0
# For longer sentences, the backward pass recomputes the weights, whose number is cubic.
_KEPT_LENGTH = 128


class CrissCrossAttention(nn.Module):
    """Every cell attends to the 2n - 1 cells of its row and column.

    The paper's 1x1 convolutions are linear maps of each cell's features, of width d. The width of
    queries and keys is d'.
    """

    def __init__(self, width: int, attention_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, attention_width)
        self.key = nn.Linear(width, attention_width)
        self.value = nn.Linear(width, width)
        self.scale = attention_width**-0.5

    def fold(self, classifier: nn.Linear) -> tuple[Tensor, Tensor]:
        """Fold a classifier of M' + M into one linear map of M.

        This is exact: a cell's weights sum to one, so values can be classified before averaging.

        RETURNS (tuple[Tensor, Tensor]): Weight `(n_out, width)` and bias `(n_out,)` of the map to
            the input of `classify`: queries, keys, classified values, a constant 1, and the
            classified cell. `n_out` is `2 * attention_width + 2 * n_classes + 1`.
        """
        weight, bias = classifier.weight, classifier.bias
        weights = [self.query.weight * self.scale, self.key.weight, weight @ self.value.weight]
        biases = [self.query.bias * self.scale, self.key.bias, weight @ self.value.bias]
        constant = weight.new_zeros(1, weight.shape[1]), bias.new_ones(1)
        return torch.cat([*weights, constant[0], weight]), torch.cat([*biases, constant[1], bias])

    def classify(self, features: Tensor, mask: Tensor | None) -> Tensor:
        """Compute `classifier(M' + M)` from the folded map of the grid.

        features (Tensor): The grid features M, mapped by the result of `fold`:
            `(batch, n, n, n_out)`.
        mask (Optional[Tensor]): True for the words of each sentence, False for padding:
            `(batch, n)`. None if there is no padding.
        RETURNS (Tensor): The classifier's output `(batch, n, n, n_classes)`.
        """
        n, d = features.shape[1], self.key.out_features
        n_classes = (features.shape[-1] - 1) // 2 - d
        attended, classified = features.split([2 * d + n_classes + 1, n_classes], dim=-1)
        columns = _Lines.split(attended.transpose(1, 2).contiguous(), d)
        attend = partial(_attend, padding=_score_padding(mask), batch=len(features))
        if n > _KEPT_LENGTH and torch.is_grad_enabled():
            attend = partial(checkpoint, attend, use_reentrant=False)
        size = max(_CHUNK // (2 * len(features) * n**2), 1)
        if size >= n:
            return attend(_Lines.split(attended, d), columns) + classified
        blocks = []
        for first in range(0, n, size):
            block = slice(first, min(first + size, n))
            rows = _Lines.split(attended[:, block], d)
            queries = columns.queries[:, block]
            blocks.append(attend(rows, columns._replace(queries=queries), first=first))
        return torch.cat(blocks, dim=1) + classified


class _Lines(NamedTuple):
    # The cells of the rows, or the columns, of all grids: `(lines, cells, width)`. The last value
    # is always 1.
    queries: Tensor
    keys: Tensor
    values: Tensor

    @classmethod
    def split(cls, features: Tensor, d: int) -> "_Lines":
        return cls(*features.flatten(0, 1).split([d, d, features.shape[-1] - 2 * d], dim=-1))


def _attend(
    rows: _Lines, columns: _Lines, padding: Tensor | None, batch: int, first: int = 0
) -> Tensor:
    # The weighted means of the values of row and column. `rows` and the queries of `columns` can be
    # a block of rows that begins with the row `first`.
    of_row, of_column = _weigh(rows, columns, padding, batch, first)
    # A CPU multiplies wide matrices faster than high ones. In this order of axes, the gradients of
    # all lines are also multiplied at once.
    by_row, by_column = (
        torch.bmm(lines.values.mT, weights).unflatten(0, (batch, -1))
        for lines, weights in ((rows, of_row), (columns, of_column))
    )
    sums = by_row.mT + by_column.permute(0, 3, 1, 2)
    values, weights = sums.split([sums.shape[-1] - 1, 1], dim=-1)
    return values / weights


def _weigh(
    rows: _Lines, columns: _Lines, padding: Tensor | None, batch: int, first: int
) -> tuple[Tensor, Tensor]:
    # The weights of the cells of the row, or the column, of each cell `(lines, n, cells)`. They do
    # not sum to one: the highest one is 1. This is faster than a softmax, for which the scores of
    # row and column would have to be copied into one tensor.
    both = [torch.bmm(lines.keys, lines.queries.mT) for lines in (rows, columns)]
    # none of these changes affects the gradient: that of such a low weight is zero, too
    with torch.no_grad():
        of_row, of_column = (scores.unflatten(0, (batch, -1)) for scores in both)
        # the cell itself already counts as part of its row
        of_column.diagonal(-first, 2, 3).fill_(-torch.inf)
        if padding is not None:
            of_row += padding
            of_column += padding
        highest = torch.maximum(of_row.amax(2), of_column.amax(2).mT)
        of_row.sub_(highest.unsqueeze(2)).clamp_(min=_LOWEST)
        of_column.sub_(highest.mT.unsqueeze(2)).clamp_(min=_LOWEST)
    return both[0].exp_(), both[1].exp_()


def _score_padding(mask: Tensor | None) -> Tensor | None:
    # Added to the scores of the cells of row and column: (batch, 1, n, 1)
    if mask is None:
        return None
    padding = torch.zeros_like(mask, dtype=torch.float32).masked_fill_(~mask, -torch.inf)
    return padding[:, None, :, None]
