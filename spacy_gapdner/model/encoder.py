"""The sequence encoder after the word representations: a BiLSTM (Equations 2 to 4)."""

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
        packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=words.shape[1]
        )
        return hidden
