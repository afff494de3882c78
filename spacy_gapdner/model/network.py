"""The GapDNER network: word representations of sentences -> scores of their label grids."""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.profiler import record_function
from torch.utils.checkpoint import checkpoint

from ..grid import GridLayout
from .biaffine import Biaffine, Concatenation, CoPredictor, FeedForward
from .criss_cross import CrissCrossAttention
from .distances import N_DISTANCES, distance_buckets
from .encoder import BiLSTM
from .grid_network import GridNetwork, GridSettings
from .initialization import init_before_gelu, init_linear, init_lstm
from .labels import TriangleMask, prefer_none
from .span_attention import SpanAttention

# So many numbers of a long sentence's grid features, or of its spans' weights, exist at a time:
# tensors of 32 MB, as the allocator reuses their memory and returns that of larger ones to the
# system.
_BLOCK_SIZE = 2**23


@dataclass(frozen=True)
class GapDNERSettings(GridSettings):
    """What a config can set of a GapDNER network.

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
    RAISES (ValueError): If a width is not positive or a dropout rate not in [0, 1).
    """

    hidden_width: int
    boundary_width: int
    grid_width: int
    attention_width: int
    bilstm: bool
    biaffine: bool
    linear_attention: bool
    criss_cross: bool
    co_predictor: bool
    co_predictor_width: int
    word_dropout: float
    boundary_dropout: float
    grid_dropout: float
    layer_norm: bool
    distance_embedding: bool
    triangle_mask: bool
    none_bias: float


class GapDNERNetwork(GridNetwork):
    """The paper's "Proposed Model" from the BiLSTM to the classifier.

    Linear layers that follow one another are computed as one, and the grid in blocks of rows, so
    that intermediate results stay small.

    n_in (int): Width of the word representations.
    layout (GridLayout): The labels that the parts of the grid can hold.
    settings (GapDNERSettings): Its parts and their sizes.
    """

    def __init__(self, n_in: int, layout: GridLayout, settings: GapDNERSettings) -> None:
        super().__init__(n_in, layout.n_channels)
        hidden = settings.hidden_width if settings.bilstm else n_in
        boundary, grid = settings.boundary_width, settings.grid_width
        dropout = settings.boundary_dropout
        self.word_dropout = nn.Dropout(settings.word_dropout)
        self.bilstm = BiLSTM(n_in, hidden) if settings.bilstm else None
        self.head = FeedForward(hidden, boundary, dropout)
        self.tail = FeedForward(hidden, boundary, dropout)
        self.boundary: Biaffine | Concatenation = (
            Biaffine(boundary, boundary) if settings.biaffine else Concatenation(boundary)
        )
        # The MLP of Equation 12, its linear layer split by the parts of G
        self.from_boundary = nn.Linear(self.boundary.n_out, grid)
        self.span_attention = SpanAttention(hidden) if settings.linear_attention else None
        if settings.linear_attention:
            self.from_tokens = nn.Linear(hidden, grid, bias=False)
        self.distance = nn.Embedding(N_DISTANCES, grid) if settings.distance_embedding else None
        self.activation = nn.GELU()
        self.norm = nn.LayerNorm(grid) if settings.layer_norm else nn.Identity()
        self.grid_dropout = settings.grid_dropout
        self.criss_cross = (
            CrissCrossAttention(grid, settings.attention_width) if settings.criss_cross else None
        )
        self.co_predictor = (
            CoPredictor(hidden, settings.co_predictor_width, layout.n_channels, dropout)
            if settings.co_predictor
            else None
        )
        self.classifier = nn.Linear(grid, layout.n_channels)
        self._init_weights()
        prefer_none(self.classifier, layout, settings.none_bias)
        self.triangle_mask = TriangleMask(layout, settings.triangle_mask)

    def _init_weights(self) -> None:
        if self.bilstm is not None:
            init_lstm(self.bilstm.lstm)
        init_before_gelu(self.from_boundary)
        if self.span_attention is not None:
            init_before_gelu(self.from_tokens)
        if self.criss_cross is not None:
            # M'' = M at the start: the attention is uniform then, and would blur every cell
            nn.init.zeros_(self.criss_cross.value.weight)
            nn.init.zeros_(self.criss_cross.value.bias)
        init_linear(self.classifier)

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Compute the token representations H; see `GridNetwork.encode`."""
        words = self.word_dropout(words)
        if self.bilstm is None:
            return words
        with record_function("gapdner.bilstm"):
            return self.bilstm(words, lengths)

    def score(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Score the label grids of a batch of sentences; see `GridNetwork.score`."""
        scores = self.map_grid(hidden)
        if self.criss_cross is not None:
            with record_function("gapdner.criss_cross"):
                scores = self.criss_cross.classify(scores, mask)
        if self.co_predictor is not None:
            with record_function("gapdner.co_predictor"):
                scores = scores + self.co_predictor(hidden)
        return self.triangle_mask(scores)

    def map_grid(self, hidden: Tensor) -> Tensor:
        """Compute all that is read of the grid features M, which is a linear map of them.

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, hidden)`
        RETURNS (Tensor): What `CrissCrossAttention.classify` takes; without this attention the
            classifier's logits.
            *Shape:* `(batch, n, n, n_out)`
        """
        weight: Tensor
        bias: Tensor
        if self.criss_cross is None:
            weight, bias = self.classifier.weight, self.classifier.bias
        else:
            weight, bias = self.criss_cross.fold(self.classifier)
        batch, n, _ = hidden.shape
        # Dropout of whole channels of M: of columns of the map
        kept = hidden.new_ones(batch, 1, weight.shape[1])
        weight = weight * F.dropout(kept, self.grid_dropout, self.training)
        parts = (hidden, self.head(hidden), self.tail(hidden), weight, bias)
        compute = self._map_rows
        row_size = n * max(n, self.classifier.in_features)
        if n * row_size > _BLOCK_SIZE and torch.is_grad_enabled():
            compute = partial(checkpoint, compute, use_reentrant=False)
        size = max(_BLOCK_SIZE // (batch * row_size), 1)
        blocks = [compute(slice(i, min(i + size, n)), *parts) for i in range(0, n, size)]
        return blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=1)

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
        # Some rows of the grid features M, from boundaries and inner tokens of each span
        with record_function("gapdner.biaffine"):
            boundary = self.boundary(heads[:, rows], tails)
            batch, n_rows, n, width = boundary.shape
            bias: Tensor = self.from_boundary.bias
            if self.distance is not None:
                distances = distance_buckets(n, hidden.device)[rows].flatten()
                bias = (self.distance.weight + bias)[distances]
            weight = self.from_boundary.weight.mT.expand(batch, -1, -1)
            grid = torch.baddbmm(bias, boundary.view(batch, n_rows * n, width), weight)
        if self.span_attention is not None:
            with record_function("gapdner.span_attention"):
                grid = self.span_attention(hidden, self.from_tokens(hidden), grid, rows)
        return self.norm(self.activation(grid)).view(batch, n_rows, n, -1)
