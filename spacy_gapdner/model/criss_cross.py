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
            the input of `classify`: queries, keys, classified values and the classified cell.
            `n_out` is `2 * attention_width + 2 * n_classes`.
        """
        weight = classifier.weight
        weights = [self.query.weight * self.scale, self.key.weight, weight @ self.value.weight]
        biases = [self.query.bias * self.scale, self.key.bias, weight @ self.value.bias]
        return torch.cat([*weights, weight]), torch.cat([*biases, classifier.bias])

    def classify(self, features: Tensor, mask: Tensor) -> Tensor:
        """Compute `classifier(M' + M)` from the folded map of the grid.

        features (Tensor): The grid features M, mapped by the result of `fold`:
            `(batch, n, n, 2 * attention_width + 2 * n_classes)`.
        mask (Tensor): True for the words of each sentence, False for padding: `(batch, n)`.
        RETURNS (Tensor): The classifier's output `(batch, n, n, n_classes)`.
        """
        n, d = features.shape[1], self.key.out_features
        n_classes = features.shape[-1] // 2 - d
        queries, keys, values, classified = features.split([d, d, n_classes, n_classes], dim=-1)
        columns = keys.transpose(1, 2).contiguous(), values.transpose(1, 2).contiguous()
        attend = partial(_attend, columns, _score_padding(mask))
        if n > _KEPT_LENGTH and torch.is_grad_enabled():
            attend = partial(checkpoint, attend, use_reentrant=False)
        size = max(_CHUNK // (2 * len(features) * n**2), 1)
        blocks = [attend(slice(i, i + size), queries, keys, values) for i in range(0, n, size)]
        return torch.cat(blocks, dim=1) + classified

    def attention(self, features: Tensor, mask: Tensor) -> Tensor:
        """Compute the attention weights.

        features (Tensor), mask (Tensor): See `classify`.
        RETURNS (Tensor): Weights `(batch, n, n, 2 * n)` of cell (i, j) for the cells (i, k) of its
            row, followed by the cells (k, j) of its column, where the cell itself has weight 0.
        """
        d = self.key.out_features
        queries, keys, _ = features.tensor_split([d, 2 * d], dim=-1)
        return _weigh(keys.transpose(1, 2), _score_padding(mask), 0, queries, keys)


def _attend(columns: tuple[Tensor, Tensor], padding: Tensor, rows: slice, *grid: Tensor) -> Tensor:
    # The weighted means of the values of row and column, for a block of rows
    keys_by_column, values_by_column = columns
    queries, keys, values = (part[:, rows] for part in grid)
    weights = _weigh(keys_by_column, padding, rows.start, queries, keys).to(values.dtype)
    by_row, by_column = weights.chunk(2, dim=-1)
    return by_row @ values + (by_column.transpose(1, 2) @ values_by_column).transpose(1, 2)


def _weigh(
    keys_by_column: Tensor, padding: Tensor, first: int, queries: Tensor, keys: Tensor
) -> Tensor:
    # The weights of the cells of row and column, for a block of rows
    by_row = queries @ keys.mT
    by_column = (queries.transpose(1, 2) @ keys_by_column.mT).transpose(1, 2)
    scores = torch.cat([by_row, by_column], dim=-1)
    scores += padding
    # the cell itself already counts as part of its row
    in_column = scores[..., queries.shape[2] :]
    in_column.diagonal(first, dim1=1, dim2=3).fill_(-torch.inf)
    return scores.softmax(dim=-1)


def _score_padding(mask: Tensor) -> Tensor:
    # Added to the scores of the cells of row and column: (batch, 1, 1, 2 * n)
    padding = torch.zeros_like(mask, dtype=torch.float32).masked_fill(~mask, -torch.inf)
    return padding.repeat(1, 2)[:, None, None]
