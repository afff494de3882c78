import layer_by_layer
import pytest
import torch

from spacy_gapdner.model.criss_cross import CrissCrossAttention


@pytest.fixture
def layer():
    return CrissCrossAttention(width=4, attention_width=3).double()


@pytest.fixture
def classifier():
    return torch.nn.Linear(4, 2).double()


def make_mask(lengths):
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)


def make_grid(lengths, width=4):
    n = max(lengths)
    return torch.randn(len(lengths), n, n, width, dtype=torch.float64, requires_grad=True)


def read(layer, classifier, grid):
    return torch.nn.functional.linear(grid, *layer.fold(classifier))


def classify(layer, classifier, grid, mask):
    return layer.classify(read(layer, classifier, grid), mask)


@pytest.mark.parametrize("lengths", [[7, 1, 4], [70, 1, 66]])
@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_folding_the_classifier_is_exact(layer, classifier, lengths, spread):
    layer.query.weight.data *= spread
    grid, mask = make_grid(lengths).detach(), make_mask(lengths)
    with torch.no_grad():
        expected = classifier(layer_by_layer.criss_cross(layer, grid, mask) + grid)
        actual = classify(layer, classifier, grid, mask)
        single = classify(layer.float(), classifier.float(), grid.float(), mask).double()
    for row, n in enumerate(lengths):
        for found, atol in ((actual, 1e-9), (single, 2e-4)):
            torch.testing.assert_close(found[row, :n, :n], expected[row, :n, :n], rtol=0, atol=atol)
