"""Define base classes for networks that score label grids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..errors import GapDNERError


@dataclass(frozen=True)
class GridSettings:
    """Base class for the settings of a grid network.

    RAISES (GapDNERError): If a width is not positive or a dropout rate is not in [0, 1).
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name.endswith("_width") and value < 1:
                raise GapDNERError(f"Invalid {name}: {value}. It must be at least 1.")
            if name.endswith("_dropout") and not 0 <= value < 1:
                raise GapDNERError(f"Invalid {name}: {value}. It must be in [0, 1).")


# See `GridNetwork.make_scorer`
Scorer = Callable[[Sequence[Tensor], Tensor | None], Tensor]


class Call(NamedTuple):
    """Sentences that a network reads at once, longest first.

    words (Tensor): The index of each word of the sentences in the words of the batch
        `(n_sentences, n)`. The index of padding is the number of words.
    lengths (Tensor): Number of words of each sentence `(n_sentences,)`, on the CPU.
    batch_sizes (list[int]): Number of sentences of each batch of grids, in order.
    """

    words: Tensor
    lengths: Tensor
    batch_sizes: list[int]


class GridNetwork(nn.Module):
    """A network that scores the label grids of sentences.

    Subclasses define `encode` and `make_scorer`. `encode` reads all sentences at once. The scorer
    gets small batches of sentences of similar length, because the size of a grid is quadratic in
    the length.

    n_in (int): Width of the word representations.
    n_channels (int): Number of the grid's channels.
    """

    # Set by the thinc model
    labels: tuple[str, ...] = ()

    def __init__(self, n_in: int, n_channels: int) -> None:
        super().__init__()
        self.n_in = n_in
        self.n_channels = n_channels

    @property
    def cell_width(self) -> int:
        """RETURNS (int): Number of features of a grid cell, from which the size of the batches of
        grids is chosen.
        """
        raise NotImplementedError

    def forward(self, words: Tensor, calls: Sequence[Call]) -> list[Tensor]:
        """Score the label grids of sentences.

        words (Tensor): The representations of all words `(n_words, n_in)`.
        calls (Sequence[Call]): The sentences.
        RETURNS (list[Tensor]): Logits `(batch, n, n, n_channels)` of each batch of all calls,
            padded to its longest sentence. The logits of padding cells are arbitrary.
        """
        scores = []
        score = self.make_scorer()
        padded = F.pad(words, (0, 0, 0, 1))
        for index, lengths, batch_sizes in calls:
            read = padded.index_select(0, index.flatten()).view(*index.shape, self.n_in)
            tokens, mask = self.encode(read, lengths), index < len(words)
            parts = (part.split(batch_sizes) for part in (lengths, mask, *tokens))
            for batch_lengths, *batch in zip(*parts, strict=True):
                n = int(batch_lengths[0])
                is_padded = int(batch_lengths[-1]) < n
                batch_mask, *features = (part[:, :n] for part in batch)
                scores.append(score(features, batch_mask if is_padded else None))
        return scores

    def encode(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        """Compute the features of all tokens.

        words (Tensor): Padded representations `(n_sentences, n, n_in)`, longest sentence first.
        lengths (Tensor): Number of words of each sentence `(n_sentences,)`, on the CPU.
        RETURNS (tuple[Tensor, ...]): The features that a scorer needs `(n_sentences, n, width)`.
        """
        raise NotImplementedError

    def make_scorer(self) -> Scorer:
        """Create a function that scores the label grids of a batch of sentences. Networks that
        compute something from their weights do this once here.

        RETURNS (Callable[[Sequence[Tensor], Optional[Tensor]], Tensor]): Maps the features of the
            tokens `(batch, n, width)`, and a mask that is True for words and False for padding
            `(batch, n)`, or None without padding, to logits `(batch, n, n, n_channels)`.
        """
        raise NotImplementedError

    def copy_weights_from(self, trained: "GridNetwork", channels: Sequence[int]) -> None:
        """Copy the weights of a network with the same settings and fewer channels. `channels` are
        their indices in this network. The weights of the additional channels are zero, and their
        biases are unchanged.
        """
        weights = self.state_dict()
        with torch.no_grad():
            for name, values in trained.state_dict().items():
                target = weights[name]
                grown = [d for d in range(values.dim()) if values.shape[d] != target.shape[d]]
                if grown:
                    if values.dim() > 1:
                        target.zero_()
                    index = torch.tensor(channels, device=target.device)
                    target.index_copy_(grown[0], index, values.to(target.device))
                else:
                    target.copy_(values)
