"""The GapDNER network: word representations of sentences -> scores of their label grids."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.profiler import record_function
from torch.utils.checkpoint import checkpoint

from .biaffine import Biaffine, Concatenation, make_feed_forward
from .criss_cross import CrissCrossAttention
from .encoder import BiLSTM
from .grid_network import GridNetwork, GridSettings
from .initialization import init_linear, init_lstm
from .span_attention import SpanAttention

# Number of elements in a block of a long sentence's grid features or span weights. The allocator
# reuses the memory of tensors of up to 32 MB and returns larger ones to the system.
_BLOCK_SIZE = 2**23
# Initial difference between the scores of None and the other labels
_NONE_MARGIN = 5.0


@dataclass(frozen=True)
class GapDNERSettings(GridSettings):
    """The settings of a GapDNER network.

    hidden_width (int): Width d of the token representations H. Ignored without BiLSTM.
    boundary_width (int): Width of heads, tails and biaffine features (d in the paper).
    grid_width (int): Width of the grid features M (d in the paper).
    attention_width (int): Width d' of the queries and keys of the criss-cross attention.
    bilstm (bool): Use the BiLSTM.
    biaffine (bool): Use the biaffine features instead of the concatenation of head and tail.
    linear_attention (bool): Use the linear attention over the tokens of each span.
    criss_cross (bool): Use the criss-cross attention over the grid.
    word_dropout (float): Dropout rate of the word representations. The paper does not specify
        where dropout is applied.
    RAISES (GapDNERError): If a width is not positive or the dropout rate is not in [0, 1).
    """

    hidden_width: int = 128
    boundary_width: int = 32
    grid_width: int = 96
    attention_width: int = 16
    bilstm: bool = True
    biaffine: bool = True
    linear_attention: bool = True
    criss_cross: bool = True
    word_dropout: float = 0.2


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

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Compute the token representations H. See `GridNetwork.encode`."""
        words = self.word_dropout(words)
        if self.bilstm is None:
            return words
        with record_function("gapdner.bilstm"):
            return self.bilstm(words, lengths)

    def score(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Score the label grids of a batch of sentences. See `GridNetwork.score`."""
        scores = self.map_grid(hidden)
        if self.criss_cross is not None:
            with record_function("gapdner.criss_cross"):
                scores = self.criss_cross.classify(scores, mask)
        return scores

    def map_grid(self, hidden: Tensor) -> Tensor:
        """Compute the linear maps of the grid features M that the following layers use.

        hidden (Tensor): Token representations H `(batch, n, hidden)`.
        RETURNS (Tensor): The input of `CrissCrossAttention.classify` `(batch, n, n, n_out)`, or the
            logits if the network has no criss-cross attention.
        """
        maps: tuple[Tensor, Tensor] = self.classifier.weight, self.classifier.bias
        if self.criss_cross is not None:
            maps = self.criss_cross.fold(self.classifier)
        batch, n, _ = hidden.shape
        parts = (hidden, self.head(hidden), self.tail(hidden), maps)
        compute = self._map_rows
        row_size = n * max(n, self.classifier.in_features)
        if n * row_size > _BLOCK_SIZE and torch.is_grad_enabled():
            compute = partial(checkpoint, compute, use_reentrant=False)
        size = max(_BLOCK_SIZE // (batch * row_size), 1)
        blocks = [compute(slice(i, min(i + size, n)), *parts) for i in range(0, n, size)]
        return blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=1)

    def _map_rows(
        self, rows: slice, hidden: Tensor, heads: Tensor, tails: Tensor, maps: tuple[Tensor, Tensor]
    ) -> Tensor:
        with record_function("gapdner.biaffine"):
            boundary = self.boundary(heads[:, rows], tails)
            batch, n_rows, n, _ = boundary.shape
            grid = self.from_boundary(boundary).flatten(1, 2)
        if self.span_attention is not None:
            with record_function("gapdner.span_attention"):
                grid = self.span_attention(hidden, self.from_tokens(hidden), grid, rows)
        grid = self.activation(grid).view(batch, n_rows, n, -1)
        with record_function("gapdner.classifier"):
            return F.linear(grid, *maps)
