import math

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


def test_attends_to_row_and_column_and_itself_once(layer, classifier):
    lengths = [3, 5]
    features = read(layer, classifier, make_grid(lengths))
    weights = layer.attention(features, make_mask(lengths)).detach()
    assert weights.shape == (2, 5, 5, 10)
    for row, n in enumerate(lengths):
        for i in range(n):
            for j in range(n):
                by_row, by_column = weights[row, i, j].chunk(2)
                others = [k for k in range(n) if k != i]
                assert by_row.nonzero().flatten().tolist() == list(range(n))
                assert by_column.nonzero().flatten().tolist() == others
                assert float(by_row.sum() + by_column.sum()) == pytest.approx(1.0, abs=1e-12)


def test_a_single_cell_attends_to_itself(layer, classifier):
    grid = make_grid([1])
    expected = classifier(layer.value(grid) + grid)
    torch.testing.assert_close(classify(layer, classifier, grid, make_mask([1])), expected)


def test_scores_are_divided_by_the_root_of_the_attention_width():
    layer = CrissCrossAttention(width=1, attention_width=4)
    with torch.no_grad():
        for part in (layer.query, layer.key):
            part.weight.fill_(1.0)
            part.bias.zero_()
    grid = torch.tensor([[[1.0], [2.0]], [[3.0], [5.0]]]).unsqueeze(0)
    # the query of cell (0, 0) is (1, 1, 1, 1): its scores are 4 * key / 2
    exponents = [2 * key for key in (1.0, 2.0, 3.0)]
    total = sum(math.exp(x) for x in exponents)
    expected = [math.exp(x) / total for x in exponents]
    features = read(layer, torch.nn.Linear(1, 1), grid)
    weights = layer.attention(features, make_mask([2]))[0, 0, 0]
    torch.testing.assert_close(weights, torch.tensor([expected[0], expected[1], 0.0, expected[2]]))


def test_what_stands_in_the_padding_is_of_no_account(layer, classifier):
    grid = make_grid([2, 4]).detach()
    other = grid.clone()
    other[0, 2:] = 1e6
    other[0, :, 2:] = -1e6
    mask = make_mask([2, 4])
    expected = classify(layer, classifier, grid, mask)
    actual = classify(layer, classifier, other, mask)
    torch.testing.assert_close(actual[0, :2, :2], expected[0, :2, :2])
    assert actual.isfinite().all()


@pytest.mark.parametrize("lengths", [[1], [2], [7, 1, 4], [64], [70, 1, 66]])
@pytest.mark.parametrize("spread", [1.0, 30.0])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_folding_the_classifier_is_exact(layer, lengths, spread, n_classes):
    classifier = torch.nn.Linear(4, n_classes).double()
    layer.query.weight.data *= spread
    grid, mask = make_grid(lengths), make_mask(lengths)
    with torch.no_grad():
        expected = classifier(layer_by_layer.criss_cross(layer, grid, mask) + grid)
        actual = classify(layer, classifier, grid, mask)
    for row, n in enumerate(lengths):
        torch.testing.assert_close(actual[row, :n, :n], expected[row, :n, :n], rtol=0, atol=1e-9)


def test_folding_the_classifier_in_single_precision():
    layer, classifier = CrissCrossAttention(8, 4), torch.nn.Linear(8, 3)
    layer.query.weight.data *= 50
    grid, mask = make_grid([40, 33], 8).detach(), make_mask([40, 33])
    with torch.no_grad():
        actual = classify(layer, classifier, grid.float(), mask).double()
        layer, classifier = layer.double(), classifier.double()
        expected = classifier(layer_by_layer.criss_cross(layer, grid, mask) + grid)
    for row, n in enumerate([40, 33]):
        torch.testing.assert_close(actual[row, :n, :n], expected[row, :n, :n], rtol=0, atol=2e-4)
