import pytest
import torch
from torch import nn

from spacy_gapdner.grid import GridLayout
from spacy_gapdner.model.labels import TriangleMask, prefer_none

# channel 0 stands for None
LAYOUT = GridLayout(("None", "x", "y", "z"), upper=(1, 3), diagonal=(2, 3), lower=(2,))
IMPOSSIBLE = -1e4


def test_mask_by_hand():
    scores = torch.randn(2, 3, 3, 4)
    masked = TriangleMask(LAYOUT, enabled=True)(scores)
    # None is possible everywhere
    impossible = {1: [2], 0: [1], -1: [1, 3]}
    for batch in range(2):
        for i in range(3):
            for j in range(3):
                expected = scores[batch, i, j].clone()
                expected[impossible[(j > i) - (j < i)]] = IMPOSSIBLE
                assert torch.equal(masked[batch, i, j], expected), (i, j)


def test_what_is_impossible_gets_no_gradient():
    scores = torch.randn(1, 4, 4, 4, requires_grad=True)
    masked = TriangleMask(LAYOUT, enabled=True)(scores)
    masked.sum().backward()
    assert torch.equal(scores.grad, (masked != IMPOSSIBLE).float())


def test_mask_that_is_switched_off():
    scores = torch.randn(1, 3, 3, 4)
    assert torch.equal(TriangleMask(LAYOUT, enabled=False)(scores), scores)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_scores_in_half_precision_are_masked_in_single_precision(dtype):
    scores = torch.zeros(1, 2, 2, 4, dtype=dtype)
    masked = TriangleMask(LAYOUT, enabled=True)(scores)
    assert masked.dtype == torch.float32
    assert set(masked.flatten().tolist()) == {0.0, -1e4}


def test_the_mask_is_not_saved():
    assert TriangleMask(LAYOUT, enabled=True).state_dict() == {}


def test_prefer_none():
    classifier = nn.Linear(2, 4)
    weight = classifier.weight.clone()
    prefer_none(classifier, LAYOUT, 3.0)
    assert classifier.bias.tolist() == [0.0, -3.0, -3.0, -3.0]
    assert torch.equal(classifier.weight, weight)
    assert classifier.bias.requires_grad
