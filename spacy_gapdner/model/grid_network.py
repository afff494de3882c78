"""What every network that scores label grids has in common."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from ..errors import GapDNERError


@dataclass(frozen=True)
class GridSettings:
    """Settings of a network that scores label grids: widths, dropout rates and others.

    RAISES (GapDNERError): If a width is not positive or a dropout rate not in [0, 1).
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name.endswith("_width") and value < 1:
                raise GapDNERError(f"The model's {name} must be at least 1, but it is {value}.")
            if name.endswith("_dropout") and not 0 <= value < 1:
                raise GapDNERError(
                    f"The model's {name} must be at least 0 and below 1, but it is {value}."
                )


class GridNetwork(nn.Module):
    """A network that scores the label grids of sentences.

    Networks define `encode`, which reads all sentences at once, and `score`, which works on small
    batches of sentences of similar length, as the grids are quadratic in it.

    n_in (int): Width of the word representations.
    n_channels (int): Number of the grid's channels.
    """

    # Set by the thinc model: the entity types, and products of matrices in bfloat16
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

        words (Tensor): Word representations, those of the longest sentence first, padded.
            *Shape:* `(n_sentences, n, n_in)`
        lengths (Tensor): Number of words of each sentence, on the CPU.
            *Shape:* `(n_sentences,)`
        batch_sizes (Sequence[int]): Number of sentences of each batch of grids, in order.
        RETURNS (tuple[Tensor, ...]): Logits of each batch, each padded to its own longest
            sentence; those of cells in the padding mean nothing.
            *Shape:* `(batch, n, n, n_channels)`
        """
        device = words.device
        positions = torch.arange(words.shape[1], device=device)
        mask = positions < lengths.to(device).unsqueeze(1)
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

        words (Tensor): Word representations, padded.
            *Shape:* `(n_sentences, n, n_in)`
        lengths (Tensor): Number of words of each sentence, on the CPU.
            *Shape:* `(n_sentences,)`
        RETURNS (Tensor): Token representations.
            *Shape:* `(n_sentences, n, hidden)`
        """
        raise NotImplementedError

    def score(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Score the label grids of a batch of sentences.

        hidden (Tensor): Token representations H.
            *Shape:* `(batch, n, hidden)`
        mask (Tensor): True for the words of each sentence, False for padding.
            *Shape:* `(batch, n)`
        RETURNS (Tensor): Logits.
            *Shape:* `(batch, n, n, n_channels)`
        """
        raise NotImplementedError

    def take_over(self, trained: "GridNetwork", channels: Sequence[int]) -> None:
        """Take over the weights of a network of the same settings that scores fewer channels.

        The weights of channels that it does not have stay as they are.

        trained (GridNetwork): The network.
        channels (Sequence[int]): For each of its channels the one of this network.
        """
        weights = self.state_dict()
        with torch.no_grad():
            for name, values in trained.state_dict().items():
                target = weights[name]
                grown = [d for d in range(values.dim()) if values.shape[d] != target.shape[d]]
                if grown:
                    index = torch.tensor(channels, device=target.device)
                    target.index_copy_(grown[0], index, values.to(target.device))
                else:
                    target.copy_(values)
