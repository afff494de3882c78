"""Base classes for networks that score label grids."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

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


class GridNetwork(nn.Module):
    """A network that scores the label grids of sentences.

    Subclasses define `encode`, which reads all sentences at once, and `score`, which scores small
    batches of sentences of similar length, because the size of a grid is quadratic in the length.

    n_in (int): Width of the word representations.
    n_channels (int): Number of the grid's channels.
    """

    # Set by the thinc model
    labels: tuple[str, ...] = ()
    mixed_precision = False

    def __init__(self, n_in: int, n_channels: int) -> None:
        super().__init__()
        self.n_in = n_in
        self.n_channels = n_channels

    def forward(
        self, words: Tensor, lengths: Tensor, batch_sizes: Sequence[int]
    ) -> tuple[Tensor, ...]:
        """Score the label grids of sentences.

        words (Tensor): Padded representations `(n_sentences, n, n_in)`, longest sentence first.
        lengths (Tensor): Number of words of each sentence `(n_sentences,)`, on the CPU.
        batch_sizes (Sequence[int]): Number of sentences of each batch of grids, in order.
        RETURNS (tuple[Tensor, ...]): Logits `(batch, n, n, n_channels)` of each batch, padded to
            its longest sentence. The logits of padding cells are arbitrary.
        """
        device = words.device
        mask = torch.arange(words.shape[1], device=device) < lengths.to(device).unsqueeze(1)
        scores, start = [], 0
        with torch.autocast(device.type, torch.bfloat16, enabled=self.mixed_precision):
            hidden = self.encode(words, lengths)
            for size in batch_sizes:
                batch = slice(start, start + size)
                longest = int(lengths[start])
                scores.append(self.score(hidden[batch, :longest], mask[batch, :longest]))
                start += size
        return tuple(scores)

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Compute the token representations H of all sentences.

        words (Tensor), lengths (Tensor): See `forward`.
        RETURNS (Tensor): Token representations `(n_sentences, n, hidden)`.
        """
        raise NotImplementedError

    def score(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Score the label grids of a batch of sentences.

        hidden (Tensor): Token representations H `(batch, n, hidden)`.
        mask (Tensor): True for the words of each sentence, False for padding: `(batch, n)`.
        RETURNS (Tensor): Logits `(batch, n, n, n_channels)`.
        """
        raise NotImplementedError

    def take_over(self, trained: "GridNetwork", channels: Sequence[int]) -> None:
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
