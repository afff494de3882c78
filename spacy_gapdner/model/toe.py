"""The TOE network (Liu et al. 2022, "TOE: A Grid-Tagging Discontinuous NER Model Enhanced by
Embedding Tag/Word Relations and More Fine-Grained Tags"): W2NER that attends to the tags."""

import torch
from torch import Tensor, nn

from ..tagging import GridLayout
from .w2ner import W2NERNetwork


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


class TOENetwork(W2NERNetwork):
    """W2NER with tag representations embedded after the BiLSTM.

    n_in (int): Width of the word representations.
    layout (GridLayout): The labels that the parts of the grid can hold; each is a tag.
    n_heads (int): Number of attention heads over words and tags.
    tag_dropout (float): Dropout rate within this attention.
    **settings: As in `W2NERNetwork`.
    """

    def __init__(
        self, n_in: int, layout: GridLayout, *, n_heads: int, tag_dropout: float, **settings: object
    ) -> None:
        super().__init__(n_in, layout, **settings)  # type: ignore[arg-type]
        width = self.bilstm.n_out
        self.tags = TagRepresentationEmbedding(width, layout.n_channels, n_heads, tag_dropout)

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Compute the word representations H, which know of the tags; see `GridNetwork.encode`."""
        positions = torch.arange(words.shape[1], device=words.device)
        mask = positions < lengths.to(words.device).unsqueeze(1)
        return self.tags(super().encode(words, lengths), mask)
