"""What every network that scores label grids has in common."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class GridNetwork(nn.Module):
    """A network that scores the label grids of sentences.

    Networks define `encode`, which reads all sentences at once, and `score`, which works on small
    batches of sentences of similar length, as the grids are quadratic in it.

    n_in (int): Width of the word representations.
    n_channels (int): Number of the grid's channels.
    """

    # Products of matrices in bfloat16, on a GPU or a CPU; set by the bridge.
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
