"""Criss-cross attention over the rows and columns of the grid (Equation 13)."""

import torch
from torch import Tensor, nn


class CrissCrossAttention(nn.Module):
    """Every cell attends to the 2n - 1 cells of its row and column, itself counted once.

    The paper's 1x1 convolutions are linear maps of each cell's features.

    width (int): Width d of the grid features and of the output.
    attention_width (int): Width d' of queries and keys.
    """

    def __init__(self, width: int, attention_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, attention_width)
        self.key = nn.Linear(width, attention_width)
        self.value = nn.Linear(width, width)

    def forward(self, grid: Tensor, mask: Tensor) -> Tensor:
        """Attend along rows and columns.

        grid (Tensor): Grid features M.
            *Shape:* `(batch, n, n, width)`
        mask (Tensor): True for the words of each sentence, False for padding.
            *Shape:* `(batch, n)`
        RETURNS (Tensor): Attention output M'.
            *Shape:* `(batch, n, n, width)`
        """
        weights = self.attention(grid, mask)
        values = self.value(grid)
        by_row, by_column = weights.chunk(2, dim=-1)
        output = torch.einsum("bijk,bikd->bijd", by_row, values)
        return output + torch.einsum("bijk,bkjd->bijd", by_column, values)

    def attention(self, grid: Tensor, mask: Tensor) -> Tensor:
        """Compute the attention weights.

        grid (Tensor): Grid features M.
            *Shape:* `(batch, n, n, width)`
        mask (Tensor): True for the words of each sentence.
            *Shape:* `(batch, n)`
        RETURNS (Tensor): Weights of cell (i, j) for the cells (i, k) of its row and then the
            cells (k, j) of its column, where the cell itself has weight 0.
            *Shape:* `(batch, n, n, 2 * n)`
        """
        n = grid.shape[1]
        queries = self.query(grid) * self.query.out_features**-0.5
        keys = self.key(grid)
        rows = torch.einsum("bijd,bikd->bijk", queries, keys)
        columns = torch.einsum("bijd,bkjd->bijk", queries, keys)
        padding = ~mask[:, None, None, :]
        itself = torch.eye(n, dtype=torch.bool, device=grid.device)[None, :, None, :]
        rows = rows.masked_fill(padding, -torch.inf)
        columns = columns.masked_fill(padding | itself, -torch.inf)
        return torch.cat([rows, columns], dim=-1).softmax(dim=-1)
