import layer_by_layer
import pytest
import torch
from equations import criss_cross

from spacy_gapdner.model import criss_cross as criss_cross_module
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


@pytest.mark.parametrize("chunk", [1, 2**20])
@pytest.mark.parametrize("lengths", [[1], [2], [5], [3, 1, 4]])
def test_is_equation_13_for_each_sentence(
    assert_same, monkeypatch, layer, classifier, lengths, chunk
):
    monkeypatch.setattr(criss_cross_module, "_CHUNK", chunk)
    grid = make_grid(lengths)
    output = classify(layer, classifier, grid, make_mask(lengths))
    actual = [output[row, :n, :n].reshape(-1, 2) for row, n in enumerate(lengths)]
    grids = [grid[row, :n, :n] for row, n in enumerate(lengths)]
    expected = [
        classifier(criss_cross(g, layer.query, layer.key, layer.value) + g).reshape(-1, 2)
        for g in grids
    ]
    tensors = [grid, *layer.parameters(), *classifier.parameters()]
    assert_same(torch.cat(actual), torch.cat(expected), tensors)


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
