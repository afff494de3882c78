"""Criss-cross attention over the rows and columns of the grid (Equation 13)."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

# So many scores are computed at a time, few enough to stay in the processor's cache.
_CHUNK = 2**18
# The scores of longer sentences, cubic in the length, are not kept for the backward pass, but
# computed again.
_KEPT_LENGTH = 128
# From this length on, PyTorch's fused attention for CPUs predicts twice as fast. It alone returns
# the logarithm of the sums too, but has no gradient for it, and no public name.
_FUSED_LENGTH = 40
# So many cells go into it at a time, few enough that the allocator reuses their memory.
_FUSED_CELLS = 2**16
_fused_attention = getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None)
# Far below any score, but finite: a cell without others in its column has a mean even so.
_MASKED = -1e30


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
        self.scale = attention_width**-0.5

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
        queries = self.query(grid) * self.scale
        keys = self.key(grid)
        rows = torch.einsum("bijd,bikd->bijk", queries, keys)
        columns = torch.einsum("bijd,bkjd->bijk", queries, keys)
        padding = ~mask[:, None, None, :]
        itself = torch.eye(n, dtype=torch.bool, device=grid.device)[None, :, None, :]
        rows = rows.masked_fill(padding, -torch.inf)
        columns = columns.masked_fill(padding | itself, -torch.inf)
        return torch.cat([rows, columns], dim=-1).softmax(dim=-1)

    def fold(self, classifier: nn.Linear) -> tuple[Tensor, Tensor]:
        """Fold a classifier of M' + M into one linear map of M; exact, as nothing stands between.

        The weights of a cell's attention sum to one, so that the classifier may read the values
        before these are averaged.

        classifier (nn.Linear): Reads M' + M (Equation 14).
        RETURNS (tuple[Tensor, Tensor]): Weight `(n_out, width)` and bias `(n_out,)` of the map to
            what `classify` takes: queries, keys, classified values, and the classified cell, thus
            `n_out = 2 * attention_width + 2 * n_classes`.
        """
        weight = classifier.weight
        weights = [self.query.weight * self.scale, self.key.weight, weight @ self.value.weight]
        biases = [self.query.bias * self.scale, self.key.bias, weight @ self.value.bias]
        return torch.cat([*weights, weight]), torch.cat([*biases, classifier.bias])

    def classify(self, features: Tensor, mask: Tensor) -> Tensor:
        """Compute `classifier(self(grid) + grid)` from the folded map of the grid.

        Rows and columns are attended to apart, a chunk at a time, and merged by the sums of their
        exponentials, so that the scores of all pairs never exist at once.

        features (Tensor): The grid features M through the map that `fold` gives.
            *Shape:* `(batch, n, n, 2 * attention_width + 2 * n_classes)`
        mask (Tensor): True for the words of each sentence, False for padding.
            *Shape:* `(batch, n)`
        RETURNS (Tensor): The classifier's output.
            *Shape:* `(batch, n, n, n_classes)`
        """
        d, n_classes = self.key.out_features, features.shape[-1] // 2 - self.key.out_features
        cells, classified = features.split([2 * d + n_classes, n_classes], dim=-1)
        if len(mask[0]) >= _FUSED_LENGTH and _can_fuse(cells):
            return _attend_fused(cells, mask, d) + classified
        padding = torch.zeros_like(mask, dtype=torch.float32).masked_fill(~mask, -torch.inf)
        row_top, row_sums = _attend(cells, padding, d, itself=True)
        column_top, column_sums = _attend(cells.transpose(1, 2), padding, d, itself=False)
        column_top, column_sums = column_top.transpose(1, 2), column_sums.transpose(1, 2)
        top = torch.maximum(row_top, column_top)
        sums = row_sums * (row_top - top).exp() + column_sums * (column_top - top).exp()
        output, total = sums.split([n_classes, 1], dim=-1)
        return output / total + classified


def _attend(cells: Tensor, padding: Tensor, d: int, *, itself: bool) -> tuple[Tensor, Tensor]:
    # Along the rows: the highest score of each cell, and the sums of the values and of 1, each
    # times the exponential of how much lower the score is
    batch, n, _, width = cells.shape
    padding = padding[:, None, :].expand(batch, n, n).reshape(batch * n, 1, n)
    attend = partial(_attend_chunk, d=d, itself=itself)
    if n > _KEPT_LENGTH and torch.is_grad_enabled():
        attend = partial(checkpoint, attend, use_reentrant=False)
    size = max(_CHUNK // n**2, 1)
    chunks = zip(cells.reshape(batch * n, n, width).split(size), padding.split(size), strict=True)
    tops, sums = zip(*(attend(*chunk) for chunk in chunks), strict=True)
    return torch.cat(tops).view(batch, n, n, 1), torch.cat(sums).view(batch, n, n, -1)


def _attend_chunk(cells: Tensor, padding: Tensor, *, d: int, itself: bool) -> tuple[Tensor, Tensor]:
    queries, keys, values = cells.split([d, d, cells.shape[-1] - 2 * d], dim=-1)
    scores = torch.baddbmm(padding.to(cells.dtype), queries, keys.mT)
    if scores.dtype.itemsize < 4:
        scores = scores.float()
    if not itself:
        scores.diagonal(dim1=-2, dim2=-1).fill_(-torch.inf)
    # any top would give the same quotient; a cell without others has only scores of -inf
    top = scores.detach().amax(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    exp = scores.sub_(top).exp_().to(values.dtype)
    sums = exp @ torch.cat([values, values.new_ones(*values.shape[:-1], 1)], dim=-1)
    return top, sums.to(scores.dtype)


def _can_fuse(cells: Tensor) -> bool:
    on_cpu = cells.device.type == "cpu"
    return on_cpu and _fused_attention is not None and not torch.is_grad_enabled()


def _attend_fused(cells: Tensor, mask: Tensor, d: int) -> Tensor:
    # The mean of the values over row and column: those of each, by their shares of the sums
    n, n_values = cells.shape[1], cells.shape[-1] - 2 * d
    padding = torch.zeros_like(mask, dtype=cells.dtype).masked_fill(~mask, _MASKED)
    padding = padding[:, None, None, :]
    itself = torch.zeros(n, n, dtype=cells.dtype, device=cells.device).fill_diagonal_(_MASKED)

    def attend(cells: Tensor, masked: Tensor) -> tuple[Tensor, Tensor]:
        chunks = cells.split(max(_FUSED_CELLS // (len(cells) * n), 1), dim=1)
        means, logsums = zip(*(attend_chunk(chunk, masked) for chunk in chunks), strict=True)
        return torch.cat(means, dim=1), torch.cat(logsums, dim=1).unsqueeze(-1)

    def attend_chunk(cells: Tensor, masked: Tensor) -> tuple[Tensor, Tensor]:
        queries, keys, values = cells.split([d, d, n_values], dim=-1)
        # queries, keys and values must be of one width
        width = max(d, n_values)
        parts = [F.pad(part, (0, width - part.shape[-1])) for part in (queries, keys, values)]
        means, logsums = _fused_attention(*parts, attn_mask=masked, scale=1.0)
        return means[..., :n_values], logsums

    by_row, row = attend(cells, padding)
    by_column, column = attend(cells.transpose(1, 2), padding + itself)
    share = torch.sigmoid(row - column.transpose(1, 2)).to(by_row.dtype)
    return torch.lerp(by_column.transpose(1, 2), by_row, share)
