"""The TOE network (Liu et al. 2022, "TOE: A Grid-Tagging Discontinuous NER Model Enhanced by
Embedding Tag/Word Relations and More Fine-Grained Tags"): W2NER that attends to the tags."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.grid import GridLayout

from .w2ner import W2NERNetwork, W2NERSettings


class TagRepresentationEmbedding(nn.Module):
    """Self-attention over the words of a sentence and a learnt representation of every tag, so
    that word-word, word-tag and tag-tag relations shape the word representations.

    That tags and words are queries, keys and values of one self-attention is the paper's; that it
    is a transformer layer with a feed-forward part of twice the width is our reading.

    width (int): Width of the word representations.
    n_tags (int): Number of tags.
    n_heads (int): Number of attention heads.
    dropout (float): Dropout rate within the layer.
    """

    def __init__(self, width: int, n_tags: int, n_heads: int, dropout: float) -> None:
        super().__init__()
        self.tags = nn.Parameter(torch.empty(n_tags, width))
        nn.init.normal_(self.tags, std=width**-0.5)
        self.layer = nn.TransformerEncoderLayer(
            width, n_heads, 2 * width, dropout, activation="gelu", batch_first=True
        )

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Let the words of every sentence attend to each other and to the tags.

        hidden (Tensor): Word representations.
            *Shape:* `(batch, n, width)`
        mask (Tensor): True for the words of each sentence, False for padding.
            *Shape:* `(batch, n)`
        RETURNS (Tensor): Word representations.
            *Shape:* `(batch, n, width)`
        """
        batch, n = mask.shape
        tags = self.tags.expand(batch, *self.tags.shape)
        is_padding = torch.cat([~mask, mask.new_zeros(batch, len(self.tags))], dim=1)
        attended = self.layer(torch.cat([hidden, tags], dim=1), src_key_padding_mask=is_padding)
        return attended[:, :n]


@dataclass(frozen=True)
class TOESettings(W2NERSettings):
    """What a config can set of a TOE network: the settings of W2NER, and two more.

    n_heads (int): Number of heads of the self-attention over words and tags; `hidden_width` must
        be a multiple of it.
    tag_dropout (float): Dropout rate within this attention.
    RAISES (GapDNERError): If a width or dilation is not positive, a dropout rate not in [0, 1), or
        `hidden_width` no multiple of `n_heads`.
    """

    hidden_width: int = 516
    biaffine_width: int = 516
    dilations: Sequence[int] = (1, 2)
    n_heads: int = 12
    tag_dropout: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_heads < 1 or self.hidden_width % self.n_heads:
            raise GapDNERError(
                "The model's hidden_width must be a multiple of n_heads, but they are "
                f"{self.hidden_width} and {self.n_heads}."
            )


class TOENetwork(W2NERNetwork):
    """W2NER with tag representations embedded after the BiLSTM.

    n_in (int): Width of the word representations.
    layout (GridLayout): The labels that the parts of the grid can hold; each is a tag.
    settings (TOESettings): The sizes of its parts.
    """

    chained_convolutions = False

    def __init__(self, n_in: int, layout: GridLayout, settings: TOESettings) -> None:
        super().__init__(n_in, layout, settings)
        width = self.bilstm.n_out
        self.tags = TagRepresentationEmbedding(
            width, layout.n_channels, settings.n_heads, settings.tag_dropout
        )

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Compute the word representations H, which know of the tags; see `GridNetwork.encode`."""
        positions = torch.arange(words.shape[1], device=words.device)
        mask = positions < lengths.to(words.device).unsqueeze(1)
        return self.tags(super().encode(words, lengths), mask)
