"""Build the GapDNER network: word representations of sentences -> scores of their label grids."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from .biaffine import Biaffine, Concatenation, PairMap, make_feed_forward
from .criss_cross import CrissCrossAttention
from .encoder import BiLSTM
from .grid_network import GridNetwork, GridSettings, Scorer
from .initialization import init_linear, init_lstm
from .span_attention import SpanAttention

# Number of elements in a block of a long sentence's grid features or span weights. The allocator
# reuses the memory of tensors of up to 32 MB and returns larger ones to the system.
_BLOCK_SIZE = 2**23
# What a batch of grids needs from the weights: the map of pairs to M before its activation, and
# weight and bias of the map of M
_Maps = tuple[PairMap, Tensor, Tensor]
# Initial difference between the scores of None and the other labels
_NONE_MARGIN = 5.0


@dataclass(frozen=True)
class GapDNERSettings(GridSettings):
    """The settings of a GapDNER network. See `build_gapdner_v1`."""

    hidden_width: int
    boundary_width: int
    grid_width: int
    attention_width: int
    bilstm: bool
    biaffine: bool
    linear_attention: bool
    criss_cross: bool
    word_dropout: float


class GapDNERNetwork(GridNetwork):
    """The paper's "Proposed Model" from the BiLSTM to the classifier.

    To save memory, linear layers are combined and the grid is computed in blocks of rows.
    """

    def __init__(self, n_in: int, channels: Sequence[str], settings: GapDNERSettings) -> None:
        super().__init__(n_in, len(channels))
        hidden = settings.hidden_width if settings.bilstm else n_in
        boundary, grid = settings.boundary_width, settings.grid_width
        self.word_dropout = nn.Dropout(settings.word_dropout)
        self.bilstm = BiLSTM(n_in, hidden) if settings.bilstm else None
        self.head = make_feed_forward(hidden, boundary)
        self.tail = make_feed_forward(hidden, boundary)
        self.boundary: Biaffine | Concatenation = (
            Biaffine(boundary, boundary) if settings.biaffine else Concatenation(boundary)
        )
        # The MLP of Equation 12, its linear layer split by the parts of G
        self.from_boundary = nn.Linear(self.boundary.n_out, grid)
        self.span_attention = SpanAttention(hidden) if settings.linear_attention else None
        if settings.linear_attention:
            self.from_tokens = nn.Linear(hidden, grid, bias=False)
        self.activation = nn.GELU()
        self.criss_cross = (
            CrissCrossAttention(grid, settings.attention_width) if settings.criss_cross else None
        )
        self.classifier = nn.Linear(grid, len(channels))
        self._init_weights(has_none=channels[0] == "None")

    def _init_weights(self, has_none: bool) -> None:
        if self.bilstm is not None:
            init_lstm(self.bilstm.lstm)
        init_linear(self.from_boundary, before_gelu=True)
        if self.span_attention is not None:
            init_linear(self.from_tokens, before_gelu=True)
        if self.criss_cross is not None:
            # initially M'' = M, because the untrained attention would average over all cells
            nn.init.zeros_(self.criss_cross.value.weight)
            nn.init.zeros_(self.criss_cross.value.bias)
        init_linear(self.classifier)
        # Nearly all cells are None. Training does not have to learn this first, and a label that
        # is added to a trained network does not outscore the others.
        with torch.no_grad():
            self.classifier.bias[int(has_none) :] = -_NONE_MARGIN

    @property
    def cell_width(self) -> int:
        """RETURNS (int): The width of M. See `GridNetwork.cell_width`."""
        return self.from_boundary.out_features

    def encode(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        """Compute heads and tails, and the scores of the linear attention and H as its values.
        Linear maps of H are combined. See `GridNetwork.encode`.
        """
        hidden = self.word_dropout(words)
        if self.bilstm is not None:
            hidden = self.bilstm(hidden, lengths)
        layers = cast(list[nn.Linear], [self.head[0], self.tail[0]])
        boundary = self.activation(_map_by_all(hidden, *layers))
        if self.span_attention is None:
            return (boundary,)
        upper, lower = self.span_attention.upper, self.span_attention.lower
        return boundary, _map_by_all(hidden, upper, lower, self.from_tokens)

    def make_scorer(self) -> Scorer:
        """Combine the weights that are the same for all batches. See `GridNetwork.make_scorer`."""
        maps: tuple[Tensor, Tensor] = self.classifier.weight, self.classifier.bias
        if self.criss_cross is not None:
            maps = self.criss_cross.fold(self.classifier)
        return partial(self._score, (self.boundary.followed_by(self.from_boundary), *maps))

    def _score(self, maps: _Maps, tokens: Sequence[Tensor], mask: Tensor | None) -> Tensor:
        scores = self._map_grid(maps, tokens)
        return scores if self.criss_cross is None else self.criss_cross.classify(scores, mask)

    def _map_grid(self, maps: _Maps, tokens: Sequence[Tensor]) -> Tensor:
        # the linear maps of M that the following layers use `(batch, n, n, n_out)`
        batch, n, _ = tokens[0].shape
        compute = self._map_rows
        row_size = n * max(n, self.cell_width)
        if n * row_size > _BLOCK_SIZE and torch.is_grad_enabled():
            compute = partial(checkpoint, compute, use_reentrant=False)
        size = max(_BLOCK_SIZE // (batch * row_size), 1)
        blocks = [compute(maps, tokens, slice(i, min(i + size, n))) for i in range(0, n, size)]
        return blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=1)

    def _map_rows(self, maps: _Maps, tokens: Sequence[Tensor], rows: slice) -> Tensor:
        from_pairs, weight, bias = maps
        heads, tails = tokens[0].chunk(2, dim=-1)
        if rows.stop - rows.start < tails.shape[1]:
            heads = heads[:, rows]
        spans = None
        if self.span_attention is not None:
            # scores and values
            parts = tokens[1].split([2, tokens[1].shape[-1] - 2], dim=-1)
            spans = self.span_attention(*parts, rows)
        return F.linear(self.activation(from_pairs(heads, tails, spans)), weight, bias)


def _map_by_all(hidden: Tensor, *layers: nn.Linear) -> Tensor:
    # only the last layer can lack a bias
    weight = torch.cat([layer.weight for layer in layers])
    bias = torch.cat([layer.bias for layer in layers if layer.bias is not None])
    return F.linear(hidden, weight, F.pad(bias, (0, len(weight) - len(bias))))
