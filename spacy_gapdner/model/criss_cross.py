"""Criss-cross attention over the rows and columns of the grid (Equation 13)."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

# Number of weights to compute at a time. They should fit into the processor's cache.
_CHUNK = 2**20
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
        by_row, classified = features.tensor_split([2 * d + n_classes + 1], dim=-1)
        by_column = by_row.transpose(1, 2).contiguous()
        attend = partial(_attend, by_row, by_column, d, _score_padding(mask))
        if n > _KEPT_LENGTH and torch.is_grad_enabled():
            attend = partial(checkpoint, attend, use_reentrant=False)
        size = max(_CHUNK // (2 * len(features) * n**2), 1)
        blocks = [attend(slice(i, min(i + size, n))) for i in range(0, n, size)]
        return (blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=1)) + classified

    def attention(self, features: Tensor, mask: Tensor | None) -> Tensor:
        """Compute the attention weights.

        features (Tensor), mask (Optional[Tensor]): See `classify`.
        RETURNS (Tensor): Weights `(batch, n, n, 2 * n)` of cell (i, j) for the cells (i, k) of its
            row, followed by the cells (k, j) of its column, where the cell itself has weight 0.
        """
        d = self.key.out_features
        scores = _score(features, features.transpose(1, 2), d, _score_padding(mask), slice(None))
        of_row, of_column = _exp(*scores)
        weights = torch.cat([of_row, of_column.transpose(1, 2)], dim=-1)
        return weights / weights.sum(dim=-1, keepdim=True)


def _attend(
    by_row: Tensor, by_column: Tensor, d: int, padding: Tensor | None, rows: slice
) -> Tensor:
    # The weighted means of the values of row and column, for a block of rows
    of_row, of_column = _exp(*_score(by_row, by_column, d, padding, rows))
    # the sums of the values and, in the last channel, of the weights
    sums = of_row @ by_row[:, rows, :, 2 * d :]
    sums = sums + (of_column @ by_column[..., 2 * d :]).transpose(1, 2)
    return sums[..., :-1] / sums[..., -1:]


def _score(
    by_row: Tensor, by_column: Tensor, d: int, padding: Tensor | None, rows: slice
) -> tuple[Tensor, Tensor]:
    # The scores of the cells of each row `(batch, rows, n, n)` and column `(batch, n, rows, n)`,
    # for a block of rows
    of_row = by_row[:, rows, :, :d] @ by_row[:, rows, :, d : 2 * d].mT
    of_column = by_column[:, :, rows, :d] @ by_column[..., d : 2 * d].mT
    # the cell itself already counts as part of its row
    n = of_column.shape[-1]
    excluded = torch.zeros(n, n, device=of_column.device).fill_diagonal_(-torch.inf)[rows]
    if padding is not None:
        of_row += padding
        excluded = excluded + padding
    of_column += excluded
    return of_row, of_column


def _exp(of_row: Tensor, of_column: Tensor) -> tuple[Tensor, Tensor]:
    # Weights that do not sum to one: the highest one of the cells of row and column is 1. This is
    # faster than a softmax of all cells, which would have to be copied into one tensor.
    with torch.no_grad():
        highest = torch.maximum(of_row.amax(-1), of_column.amax(-1).mT)
    of_row = of_row.sub_(highest.unsqueeze(-1)).exp_()
    return of_row, of_column.sub_(highest.mT.unsqueeze(-1)).exp_()


def _score_padding(mask: Tensor | None) -> Tensor | None:
    # Added to the scores of the cells of row and column: (batch, 1, 1, n)
    if mask is None:
        return None
    padding = torch.zeros_like(mask, dtype=torch.float32).masked_fill_(~mask, -torch.inf)
    return padding[:, None, None]
