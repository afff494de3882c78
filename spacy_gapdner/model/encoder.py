"""The sequence encoder after the word representations: a BiLSTM (Equations 2 to 4)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..errors import GapDNERError


class BiLSTM(nn.Module):
    """A bidirectional LSTM that reads each sentence as if it stood alone.

    n_in (int): Width of the word representations.
    n_out (int): Width of the output, half of it for each direction.
    RAISES (GapDNERError): If `n_out` is odd.
    """

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        if n_out % 2:
            raise GapDNERError(
                f"The BiLSTM's output has two directions, so hidden_width must be even, but it "
                f"is {n_out}."
            )
        self.n_out = n_out
        self.lstm = nn.LSTM(n_in, n_out // 2, batch_first=True, bidirectional=True)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Encode a padded batch.

        words (Tensor): Word representations.
            *Shape:* `(batch, n, n_in)`
        lengths (Tensor): Number of words of each sentence, on the CPU.
            *Shape:* `(batch,)`
        RETURNS (Tensor): Token representations H; zero in the padding.
            *Shape:* `(batch, n, n_out)`
        """
        # not every CPU that multiplies in bfloat16 has an LSTM in it
        with torch.autocast("cpu", enabled=False):
            if self.training and not words.is_cuda:
                return self._learn(words, lengths)
            packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
            hidden, _ = pad_packed_sequence(
                self.lstm(packed)[0], batch_first=True, total_length=words.shape[1]
            )
            return hidden

    def _learn(self, words: Tensor, lengths: Tensor) -> Tensor:
        # oneDNN reads the padding, too, but has one backward pass in place of dozens for each word
        from_end = lengths[:, None] - 1 - torch.arange(words.shape[1])
        reverse = from_end.clamp(min=0).unsqueeze(2)
        forward_weights, backward_weights = self.lstm.all_weights
        forward = self._read(words, forward_weights)
        backward = self._read(words.take_along_dim(reverse, dim=1), backward_weights)
        hidden = torch.cat([forward, backward.take_along_dim(reverse, dim=1)], dim=-1)
        return hidden * (from_end >= 0).unsqueeze(2)

    def _read(self, words: Tensor, weights: Sequence[Tensor]) -> Tensor:
        # One direction, from the first word on
        state = words.new_zeros(1, len(words), self.lstm.hidden_size)
        return torch.lstm(words, (state, state), list(weights), True, 1, 0.0, True, False, True)[0]
