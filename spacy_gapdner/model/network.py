"""The GapDNER network: word representations of sentences -> scores of their label grids."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.profiler import record_function
from torch.utils.checkpoint import checkpoint

from ..tagging import GridLayout
from .biaffine import Biaffine, Concatenation, CoPredictor, FeedForward
from .criss_cross import CrissCrossAttention
from .distances import N_DISTANCES, distance_buckets
from .encoder import BiLSTM
from .grid_network import GridNetwork
from .labels import TriangleMask, prefer_none
from .span_attention import SpanAttention

# So many cells of a long sentence's grid features exist at a time: tensors below 32 MB, as the
# allocator reuses their memory and returns that of larger ones to the system.
_BLOCK_CELLS = 60_000
# Up to this length a product of matrices computes the linear attention faster than a scan.
_SCAN_LENGTH = 128


class GapDNERNetwork(GridNetwork):
    """The paper's "Proposed Model" from the BiLSTM to the classifier.

    With `folded`, which is the default, it computes the same scores with linear layers folded into
    each other, in another order and without intermediate results; else layer by layer as the
    paper writes it.

    n_in (int): Width of the word representations.
    layout (GridLayout): The labels that the parts of the grid can hold.
    hidden_width (int): Width d of the token representations H; the encoder's own without BiLSTM.
    boundary_width (int): Width of the head and tail representations.
    grid_width (int): Width of the grid features.
    attention_width (int): Width d' of the criss-cross attention's queries and keys.
    bilstm (bool): Use the BiLSTM.
    biaffine (bool): Use the biaffine features, else the concatenation of head and tail.
    linear_attention (bool): Use the linear attention over the tokens of each span.
    criss_cross (bool): Use the criss-cross attention over the grid.
    co_predictor (bool): Add a biaffine product of head and tail to the scores. Not in the paper.
    co_predictor_width (int): Width of the head and tail representations of this product.
    word_dropout (float): Dropout rate of the word representations.
    boundary_dropout (float): Dropout rate of the head and tail representations.
    grid_dropout (float): Rate at which whole channels of the grid features are dropped.
    layer_norm (bool): Normalise the grid features M. Not in the paper.
    distance_embedding (bool): Tell the grid how far tail lies from head. Not in the paper.
    triangle_mask (bool): Rule out the labels that a triangle of the grid cannot hold. Not in the
        paper.
    none_bias (float): How much lower than None all labels score at first. The paper
        says nothing of it.
    """

    def __init__(
        self,
        n_in: int,
        layout: GridLayout,
        *,
        hidden_width: int,
        boundary_width: int,
        grid_width: int,
        attention_width: int,
        bilstm: bool,
        biaffine: bool,
        linear_attention: bool,
        criss_cross: bool,
        co_predictor: bool,
        co_predictor_width: int,
        word_dropout: float,
        boundary_dropout: float,
        grid_dropout: float,
        layer_norm: bool,
        distance_embedding: bool,
        triangle_mask: bool,
        none_bias: float,
    ) -> None:
        super().__init__(n_in, layout.n_channels)
        self.folded = True
        self.word_dropout = nn.Dropout(word_dropout)
        self.bilstm = BiLSTM(n_in, hidden_width) if bilstm else None
        hidden = hidden_width if bilstm else n_in
        self.head = FeedForward(hidden, boundary_width, boundary_dropout)
        self.tail = FeedForward(hidden, boundary_width, boundary_dropout)
        self.boundary: Biaffine | Concatenation = (
            Biaffine(boundary_width, boundary_width) if biaffine else Concatenation(boundary_width)
        )
        # The MLP of Equation 12, its linear layer split by the parts of G
        self.from_boundary = nn.Linear(self.boundary.n_out, grid_width)
        self.span_attention = SpanAttention(hidden) if linear_attention else None
        if linear_attention:
            self.from_tokens = nn.Linear(hidden, grid_width, bias=False)
        self.distance = nn.Embedding(N_DISTANCES, grid_width) if distance_embedding else None
        self.activation = nn.GELU()
        self.norm = nn.LayerNorm(grid_width) if layer_norm else nn.Identity()
        self.grid_dropout = grid_dropout
        self.criss_cross = CrissCrossAttention(grid_width, attention_width) if criss_cross else None
        self.co_predictor = (
            CoPredictor(hidden, co_predictor_width, layout.n_channels, boundary_dropout)
            if co_predictor
            else None
        )
        self.classifier = nn.Linear(grid_width, layout.n_channels)
        prefer_none(self.classifier, layout, none_bias)
        self.triangle_mask = TriangleMask(layout, triangle_mask)

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Compute the token representations H; see `GridNetwork.encode`."""
        words = self.word_dropout(words)
        if self.bilstm is None:
            return words
        with record_function("gapdner.bilstm"):
            return self.bilstm(words, lengths)

    def score(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Score the label grids of a batch of sentences; see `GridNetwork.score`."""
        # Dropout of whole channels of M
        kept = hidden.new_ones(len(hidden), 1, 1, self.classifier.in_features)
        kept = F.dropout(kept, self.grid_dropout, self.training)
        if self.folded:
            scores = self._score_folded(hidden, mask, kept)
        else:
            grid = self.grid_features(hidden) * kept
            if self.criss_cross is not None:
                # M'' = M' + M (Equation 14)
                grid = self.criss_cross(grid, mask) + grid
            scores = self.classifier(grid)
        if self.co_predictor is not None:
            with record_function("gapdner.co_predictor"):
                scores = scores + self.co_predictor(hidden)
        return self.triangle_mask(scores)

    def grid_features(self, hidden: Tensor) -> Tensor:
        """Compute the grid features M from boundaries and inner tokens of each span, layer by
        layer.

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, hidden)`
        RETURNS (Tensor): Grid features.
            *Shape:* `(batch, n, n, grid_width)`
        """
        grid = self.from_boundary(self.boundary(self.head(hidden), self.tail(hidden)))
        if self.span_attention is not None:
            grid = grid + self.from_tokens(self.span_attention(hidden, hidden))
        if self.distance is not None:
            grid = grid + self.distance(distance_buckets(hidden.shape[1], hidden.device))
        return self.norm(self.activation(grid))

    def _score_folded(self, hidden: Tensor, mask: Tensor, kept: Tensor) -> Tensor:
        # All that is read of M are linear maps: they are computed block by block of its rows
        weight: Tensor
        bias: Tensor
        if self.criss_cross is None:
            weight, bias = self.classifier.weight, self.classifier.bias
        else:
            weight, bias = self.criss_cross.fold(self.classifier)
        # dropped channels of M are dropped columns of the map
        weight = weight * kept.view(len(kept), 1, -1)
        n = hidden.shape[1]
        parts = (hidden, self.head(hidden), self.tail(hidden), weight, bias)
        compute = self._map_rows
        if n * n > _BLOCK_CELLS and torch.is_grad_enabled():
            compute = partial(checkpoint, compute, use_reentrant=False)
        size = max(_BLOCK_CELLS // (len(hidden) * n), 1)
        blocks = [compute(slice(i, min(i + size, n)), *parts) for i in range(0, n, size)]
        maps = blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=1)
        if self.criss_cross is None:
            return maps
        with record_function("gapdner.criss_cross"):
            return self.criss_cross.classify(maps, mask)

    def _map_rows(
        self,
        rows: slice,
        hidden: Tensor,
        heads: Tensor,
        tails: Tensor,
        weight: Tensor,
        bias: Tensor,
    ) -> Tensor:
        grid = self._features_of_rows(rows, hidden, heads, tails)
        with record_function("gapdner.classifier"):
            batch, n_rows, n, width = grid.shape
            maps = torch.baddbmm(bias, grid.view(batch, n_rows * n, width), weight.mT)
            return maps.view(batch, n_rows, n, -1)

    def _features_of_rows(
        self, rows: slice, hidden: Tensor, heads: Tensor, tails: Tensor
    ) -> Tensor:
        # What grid_features gives, of some rows, each term added to those before
        n, n_rows = hidden.shape[1], heads[:, rows].shape[1]
        if self.distance is None:
            # a copy, as the sum may be made in place
            grid = self.from_boundary.bias.expand(1, n_rows, n, -1).clone()
        else:
            by_distance = self.distance.weight + self.from_boundary.bias
            buckets = distance_buckets(n, hidden.device)[rows]
            grid = F.embedding(buckets, by_distance).unsqueeze(0)
        if self.span_attention is not None:
            with record_function("gapdner.span_attention"):
                long = hidden.shape[1] > _SCAN_LENGTH and not torch.is_grad_enabled()
                add = self.span_attention.scan_to if long else self.span_attention.add_to
                grid = add(grid, hidden, self.from_tokens(hidden), rows)
        with record_function("gapdner.biaffine"):
            grid = self.boundary.project(heads[:, rows], tails, self.from_boundary.weight, grid)
        return self.norm(self.activation(grid))
