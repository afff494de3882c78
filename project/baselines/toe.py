"""Build the TOE network (Liu et al. 2022, "TOE: A Grid-Tagging Discontinuous NER Model Enhanced by
Embedding Tag/Word Relations and More Fine-Grained Tags"), after the published code."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.model.grid_network import GridNetwork

from .tagging import FINE_GRAINED
from .w2ner import (
    NORM_EPS,
    CoPredictor,
    PairNetwork,
    W2NERSettings,
    fill_mask,
    lower_labels,
)


class Residual(nn.Module):
    """A linear layer and dropout, with a residual connection and layer normalization."""

    def __init__(self, n_in: int, width: int, dropout: float) -> None:
        super().__init__()
        self.linear = nn.Linear(n_in, width)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(width, eps=NORM_EPS)

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        """RETURNS (Tensor): The output, with the shape of `residual`."""
        return self.norm(residual + self.dropout(self.linear(x)))


class Attention(nn.Module):
    """Multi-head attention, with a residual connection and layer normalization, as in BERT."""

    def __init__(self, width: int, n_heads: int, dropout: float) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        self.output = Residual(width, width, dropout)

    def forward(self, hidden: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        """Compute the attention of representations to words, both (batch, n, width). The mask
        (batch, n) is False for padding."""
        queries, keys, values = (
            x.unflatten(2, (self.n_heads, -1)).transpose(1, 2)
            for x in (self.query(hidden), self.key(words), self.value(words))
        )
        scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
        weights = scores.masked_fill(~mask[:, None, None], -torch.inf).softmax(dim=-1)
        attended = self.dropout(weights) @ values
        return self.output(attended.transpose(1, 2).flatten(2), hidden)


class DecoderLayer(nn.Module):
    """A transformer layer with self-attention, cross-attention to the words and a feed-forward
    network, as in a BERT decoder."""

    def __init__(self, width: int, n_heads: int, inner_width: int, dropout: float) -> None:
        super().__init__()
        self.self_attention = Attention(width, n_heads, dropout)
        self.cross_attention = Attention(width, n_heads, dropout)
        self.inner = nn.Linear(width, inner_width)
        self.output = Residual(inner_width, width, dropout)

    def forward(self, hidden: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        hidden = self.self_attention(hidden, hidden, mask)
        hidden = self.cross_attention(hidden, words, mask)
        return self.output(F.gelu(self.inner(hidden)), hidden)


@dataclass(frozen=True)
class TOESettings(W2NERSettings):
    """The settings of a TOE network, in addition to the settings of W2NER.

    n_rounds (int): How many times the grid features are computed.
    n_heads (int): Number of attention heads. `hidden_width` must be a multiple of it.
    inner_width (int): Hidden width of the feed-forward network.
    attention_dropout (float): Dropout rate of the decoder layer.
    RAISES (GapDNERError): If a width, a dilation or `n_rounds` is not positive, a dropout rate is
        not in [0, 1), or `hidden_width` is not a multiple of `n_heads`.
    """

    n_rounds: int
    n_heads: int
    inner_width: int
    attention_dropout: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_rounds < 1:
            raise GapDNERError(f"The model's n_rounds must be at least 1, but is {self.n_rounds}.")
        if self.n_heads < 1 or self.hidden_width % self.n_heads:
            raise GapDNERError(
                "The model's hidden_width must be a multiple of n_heads, but they are "
                f"{self.hidden_width} and {self.n_heads}."
            )


class TOENetwork(PairNetwork):
    """TOE from the BiLSTM to its two co-predictors: one for the decoded labels, and one for the
    fine-grained tags. Without fine-grained tags as the last channels, there is only one
    co-predictor."""

    def __init__(self, n_in: int, channels: Sequence[str], settings: TOESettings) -> None:
        super().__init__(n_in, channels, settings, chained_convolutions=False)
        hidden, n_grid = settings.hidden_width, self.convolutions.n_out
        n_labels, n_fine = len(channels), len(FINE_GRAINED)
        n_tags = n_labels**2
        has_fine = tuple(channels[-n_fine:]) == FINE_GRAINED
        self.group_sizes = [n_labels - n_fine, n_fine] if has_fine else [n_labels]
        self.n_rounds = settings.n_rounds
        self.rows = _orthogonal(hidden, hidden)
        self.columns = _orthogonal(hidden, hidden)
        self.tags = _orthogonal(n_grid, n_tags)
        self.rows_of_tags = _orthogonal(n_tags, hidden)
        self.columns_of_tags = _orthogonal(n_tags, hidden)
        self.decoder = DecoderLayer(
            hidden, settings.n_heads, settings.inner_width, settings.attention_dropout
        )
        self.labels_of_tags = _orthogonal(n_tags, n_labels)
        self.grids = nn.ModuleList(_orthogonal(size, n_grid) for size in self.group_sizes)
        self.predictors = nn.ModuleList(
            CoPredictor(
                hidden,
                n_grid,
                settings.biaffine_width,
                settings.predictor_width,
                size,
                settings.predictor_dropout,
            )
            for size in self.group_sizes
        )
        starts = (0, self.group_sizes[0])
        for start, predictor in zip(starts, self.predictors, strict=False):
            lower_labels(predictor, channels[start:], settings.none_margin)

    def score(self, tokens: Sequence[Tensor], mask: Tensor | None) -> Tensor:
        (hidden,) = tokens
        mask = fill_mask(hidden, mask)
        rows, columns = self.rows(hidden), self.columns(hidden)
        tags = self.tags(self.grid_features(rows, columns, mask))
        for _ in range(self.n_rounds - 1):
            # ignore padding
            of_rows = tags.masked_fill(~mask[:, None, :, None], -torch.inf).amax(dim=2)
            of_columns = tags.masked_fill(~mask[:, :, None, None], -torch.inf).amax(dim=1)
            rows = rows + self.decoder(self.rows_of_tags(of_rows), hidden, mask)
            columns = columns + self.decoder(self.columns_of_tags(of_columns), hidden, mask)
            tags = self.tags(self.grid_features(rows, columns, mask))
        groups = self.labels_of_tags(tags).split(self.group_sizes, dim=-1)
        return torch.cat(
            [
                predictor(hidden, grid(group))
                for predictor, grid, group in zip(self.predictors, self.grids, groups, strict=True)
            ],
            dim=-1,
        )

    def copy_weights_from(self, trained: GridNetwork, channels: Sequence[int]) -> None:
        n_old = trained.n_channels
        # by the old size of the dimension: all labels, decoded labels, tags
        places = {n_old - size: channels[: n_old - size] for size in (0, *self.group_sizes[1:])}
        places[n_old**2] = [i * self.n_channels + j for i in channels for j in channels]
        weights = self.state_dict()
        with torch.no_grad():
            for name, values in trained.state_dict().items():
                target = weights[name]
                if values.shape == target.shape:
                    target.copy_(values)
                    continue
                index = [
                    torch.tensor(range(n) if n == size else places[n], device=target.device)
                    for n, size in zip(values.shape, target.shape, strict=True)
                ]
                if values.dim() == 2 and values.shape[1] < target.shape[1]:
                    # the added inputs must not change the scores
                    target.zero_()
                target[torch.meshgrid(*index, indexing="ij")] = values.to(target.device)


def _orthogonal(n_in: int, n_out: int) -> nn.Linear:
    linear = nn.Linear(n_in, n_out)
    nn.init.orthogonal_(linear.weight)
    return linear
