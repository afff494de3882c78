"""What every network knows beforehand of the labels: where they can stand, and that few do."""

import torch
from torch import Tensor, nn

from ..grid import GridLayout

# Far below any score that occurs, but finite, also in half precision.
_IMPOSSIBLE = -1e4


class TriangleMask(nn.Module):
    """Rules out the labels that a part of the grid cannot hold. The paper does not.

    layout (GridLayout): The labels that the parts of the grid can hold.
    enabled (bool): Whether to rule out anything.
    """

    def __init__(self, layout: GridLayout, enabled: bool) -> None:
        super().__init__()
        impossible = torch.zeros(3, layout.n_channels, dtype=torch.bool)
        if enabled:
            for part, held in enumerate((layout.upper, layout.diagonal, layout.lower)):
                impossible[part, [label for label in layout.labels if label not in held]] = True
        self.impossible: Tensor
        self.register_buffer("impossible", impossible, persistent=False)

    def forward(self, scores: Tensor) -> Tensor:
        """Replace the scores of what is impossible.

        scores (Tensor): Logits.
            *Shape:* `(batch, n, n, channels)`
        RETURNS (Tensor): Logits, at least in single precision, very low where a label cannot stand.
            *Shape:* `(batch, n, n, channels)`
        """
        rows = torch.arange(scores.shape[1], device=scores.device)
        # 0 above the diagonal, 1 on it, 2 below
        part = torch.sign(rows[:, None] - rows[None, :]) + 1
        # the network may have multiplied in half precision
        if scores.dtype.itemsize < 4:
            scores = scores.float()
        return scores.masked_fill(self.impossible[part], _IMPOSSIBLE)


def prefer_none(classifier: nn.Linear, layout: GridLayout, none_bias: float) -> None:
    """Set a classifier's bias so that at first no label is probable; else training spends its
    first epochs on learning that most cells are empty. The paper says nothing of it.

    classifier (nn.Linear): Gives the logits.
    layout (GridLayout): Which of them are labels.
    none_bias (float): How much lower than None all labels score.
    """
    with torch.no_grad():
        classifier.bias.zero_()
        classifier.bias[list(layout.labels)] = -none_bias
