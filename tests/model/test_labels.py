import numpy as np
import torch

from spacy_gapdner.grid import GridLayout
from spacy_gapdner.model.labels import TriangleMask

# channel 0 stands for None
LAYOUT = GridLayout(("None", "x", "y", "z"), upper=(1, 3), diagonal=(2, 3), lower=(2,))
IMPOSSIBLE = -1e4


def test_mask_by_hand():
    scores = torch.randn(2, 3, 3, 4, requires_grad=True)
    mask = TriangleMask(LAYOUT, enabled=True)
    masked = mask(scores)
    # None is possible everywhere
    impossible = {1: [2], 0: [1], -1: [1, 3]}
    for batch, i, j in np.ndindex(2, 3, 3):
        expected = scores[batch, i, j].detach().clone()
        expected[impossible[(j > i) - (j < i)]] = IMPOSSIBLE
        assert torch.equal(masked[batch, i, j], expected), (i, j)
    # what is impossible gets no gradient
    masked.sum().backward()
    assert torch.equal(scores.grad, (masked != IMPOSSIBLE).float())
    assert torch.equal(TriangleMask(LAYOUT, enabled=False)(scores), scores)
    # pipelines that are saved do not hold it
    assert mask.state_dict() == {}


def test_scores_in_half_precision_are_masked_in_single_precision():
    masked = TriangleMask(LAYOUT, enabled=True)(torch.zeros(1, 2, 2, 4, dtype=torch.bfloat16))
    assert masked.dtype == torch.float32
    assert set(masked.flatten().tolist()) == {0.0, IMPOSSIBLE}
