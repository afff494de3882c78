"""Encode word representations with a BiLSTM (Equations 2 to 4)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..errors import GapDNERError

# Number of sentences that are read at once on a CPU. Larger batches contain more padding.
_MAX_ROWS = 32
# On a CPU, lengths are multiples of this number, because oneDNN prepares code for each new shape,
# which takes as long as reading some words.
_STEP = 8


class BiLSTM(nn.Module):
    """A bidirectional LSTM whose output ignores padding. Each direction has half of its width."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        if n_out % 2:
            raise GapDNERError(f"Invalid hidden_width: {n_out}. The BiLSTM needs an even number.")
        self.n_out = n_out
        self.lstm = nn.LSTM(n_in, n_out // 2, batch_first=True, bidirectional=True)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Encode a padded batch.

        words (Tensor): Word representations `(batch, n, n_in)`.
        lengths (Tensor): Number of words of each sentence `(batch,)`, on the CPU.
        RETURNS (Tensor): Token representations H `(batch, n, n_out)`; zero in the padding.
        """
        # not every CPU that supports bfloat16 supports it for LSTMs
        with torch.autocast("cpu", enabled=False):
            if words.device.type == "cpu":
                parts = zip(words.split(_MAX_ROWS), lengths.split(_MAX_ROWS), strict=True)
                return torch.cat([self._read_both_ways(*part) for part in parts])
            packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
            read, _ = self.lstm(packed)
            return pad_packed_sequence(read, batch_first=True, total_length=words.shape[1])[0]

    def _read_both_ways(self, words: Tensor, lengths: Tensor) -> Tensor:
        # oneDNN also reads the padding, but it is faster than packed sequences and runs a single
        # backward pass instead of dozens per word
        n = -(-int(lengths.max()) // _STEP) * _STEP
        from_end = lengths[:, None] - 1 - torch.arange(n, device=lengths.device)
        order = from_end.clamp(min=0)
        forward_weights, backward_weights = self.lstm.all_weights
        own = F.pad(words, (0, 0, 0, n - words.shape[1]))
        forward = self._read(own, forward_weights)
        backward = self._read(_reorder(own, order), backward_weights)
        hidden = torch.cat([forward, _reorder(backward, order)], dim=-1)
        return F.pad(hidden * (from_end >= 0).unsqueeze(2), (0, 0, 0, words.shape[1] - n))

    def _read(self, words: Tensor, weights: Sequence[Tensor]) -> Tensor:
        state = words.new_zeros(1, len(words), self.lstm.hidden_size)
        return torch.lstm(words, (state, state), list(weights), True, 1, 0.0, True, False, True)[0]


def _reorder(words: Tensor, order: Tensor) -> Tensor:
    return words.gather(1, order.unsqueeze(2).expand(-1, -1, words.shape[2]))
