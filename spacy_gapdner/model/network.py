"""The GapDNER network: word representations of sentences -> scores of their label grids."""

import torch
from torch import Tensor, nn
from torch.profiler import record_function

from ..tagging import GridLayout
from .biaffine import Biaffine, Concatenation, FeedForward
from .bridge import GridNetwork
from .criss_cross import CrissCrossAttention
from .distances import N_DISTANCES, distance_buckets
from .encoder import BiLSTM
from .labels import TriangleMask, prefer_none
from .span_attention import SpanAttention


class GapDNERNetwork(GridNetwork):
    """The paper's "Proposed Model" from the BiLSTM to the classifier.

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
        word_dropout: float,
        boundary_dropout: float,
        grid_dropout: float,
        layer_norm: bool,
        distance_embedding: bool,
        triangle_mask: bool,
        none_bias: float,
    ) -> None:
        super().__init__(n_in, layout.n_channels)
        self.word_dropout = nn.Dropout(word_dropout)
        self.bilstm = BiLSTM(n_in, hidden_width) if bilstm else None
        hidden = hidden_width if bilstm else n_in
        self.head = FeedForward(hidden, boundary_width, boundary_dropout)
        self.tail = FeedForward(hidden, boundary_width, boundary_dropout)
        self.boundary: nn.Module = (
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
        self.grid_dropout = nn.Dropout2d(grid_dropout)
        self.criss_cross = CrissCrossAttention(grid_width, attention_width) if criss_cross else None
        self.classifier = nn.Linear(grid_width, layout.n_channels)
        prefer_none(self.classifier, layout, none_bias)
        self.triangle_mask = TriangleMask(layout, triangle_mask)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Score the label grids of a padded batch of sentences.

        words (Tensor): Word representations.
            *Shape:* `(batch, n, n_in)`
        lengths (Tensor): Number of words of each sentence, on the CPU.
            *Shape:* `(batch,)`
        RETURNS (Tensor): Logits; those of cells in the padding mean nothing.
            *Shape:* `(batch, n, n, channels)`
        """
        hidden = self.encode(words, lengths)
        grid = self.span_features(hidden)
        if self.criss_cross is not None:
            positions = torch.arange(words.shape[1], device=words.device)
            mask = positions < lengths.to(words.device).unsqueeze(1)
            with record_function("gapdner.criss_cross"):
                # M'' = M' + M (Equation 14)
                grid = self.criss_cross(grid, mask) + grid
        with record_function("gapdner.classifier"):
            return self.triangle_mask(self.classifier(grid))

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Compute the token representations H.

        words (Tensor): Word representations.
            *Shape:* `(batch, n, n_in)`
        lengths (Tensor): Number of words of each sentence, on the CPU.
            *Shape:* `(batch,)`
        RETURNS (Tensor): Token representations.
            *Shape:* `(batch, n, hidden)`
        """
        words = self.word_dropout(words)
        if self.bilstm is None:
            return words
        with record_function("gapdner.bilstm"):
            return self.bilstm(words, lengths)

    def span_features(self, hidden: Tensor) -> Tensor:
        """Compute the grid features M from boundaries and inner tokens of each span.

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, hidden)`
        RETURNS (Tensor): Grid features.
            *Shape:* `(batch, n, n, grid_width)`
        """
        with record_function("gapdner.biaffine"):
            grid = self.from_boundary(self.boundary(self.head(hidden), self.tail(hidden)))
        if self.span_attention is not None:
            with record_function("gapdner.span_attention"):
                grid = grid + self.span_attention(hidden, self.from_tokens(hidden))
        if self.distance is not None:
            grid = grid + self.distance(distance_buckets(hidden.shape[1], hidden.device))
        grid = self.norm(self.activation(grid))
        # (batch, n, n, width) -> (batch, width, n, n): Dropout2d drops along dimension 1
        return self.grid_dropout(grid.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
