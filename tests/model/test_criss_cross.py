import math

import pytest
import torch
from equations import criss_cross

from spacy_gapdner.model import criss_cross as criss_cross_module
from spacy_gapdner.model.criss_cross import CrissCrossAttention


@pytest.fixture
def layer():
    return CrissCrossAttention(width=4, attention_width=3).double()


def make_mask(lengths):
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)


def make_grid(lengths, width=4):
    n = max(lengths)
    return torch.randn(len(lengths), n, n, width, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("lengths", [[1], [2], [5], [3, 1, 4]])
def test_is_equation_13_for_each_sentence(assert_same, layer, lengths):
    grid = make_grid(lengths)
    output = layer(grid, make_mask(lengths))
    actual = [output[row, :n, :n].reshape(-1, 4) for row, n in enumerate(lengths)]
    expected = [
        criss_cross(grid[row, :n, :n], layer.query, layer.key, layer.value).reshape(-1, 4)
        for row, n in enumerate(lengths)
    ]
    assert_same(torch.cat(actual), torch.cat(expected), [grid, *layer.parameters()])


def test_attends_to_row_and_column_and_itself_once(layer):
    lengths = [3, 5]
    weights = layer.attention(make_grid(lengths), make_mask(lengths)).detach()
    assert weights.shape == (2, 5, 5, 10)
    for row, n in enumerate(lengths):
        for i in range(n):
            for j in range(n):
                by_row, by_column = weights[row, i, j].chunk(2)
                others = [k for k in range(n) if k != i]
                assert by_row.nonzero().flatten().tolist() == list(range(n))
                assert by_column.nonzero().flatten().tolist() == others
                assert float(by_row.sum() + by_column.sum()) == pytest.approx(1.0, abs=1e-12)


def test_a_single_cell_attends_to_itself(layer):
    grid = make_grid([1])
    torch.testing.assert_close(layer(grid, make_mask([1])), layer.value(grid))


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
    weights = layer.attention(grid, make_mask([2]))[0, 0, 0]
    torch.testing.assert_close(weights, torch.tensor([expected[0], expected[1], 0.0, expected[2]]))


def test_what_stands_in_the_padding_is_of_no_account(layer):
    grid = make_grid([2, 4]).detach()
    other = grid.clone()
    other[0, 2:] = 1e6
    other[0, :, 2:] = -1e6
    mask = make_mask([2, 4])
    torch.testing.assert_close(layer(other, mask)[0, :2, :2], layer(grid, mask)[0, :2, :2])
    assert layer(other, mask).isfinite().all()


def classify(layer, classifier, grid, mask):
    weight, bias = layer.fold(classifier)
    return layer.classify(torch.nn.functional.linear(grid, weight, bias), mask)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("lengths", [[1], [2], [7, 1, 4], [64], [70, 1, 66]])
@pytest.mark.parametrize("spread", [1.0, 30.0])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_folding_the_classifier_is_exact(layer, monkeypatch, fused, lengths, spread, n_classes):
    monkeypatch.setattr(criss_cross_module, "_FUSED_LENGTH", 1 if fused else 10**6)
    classifier = torch.nn.Linear(4, n_classes).double()
    layer.query.weight.data *= spread
    grid, mask = make_grid(lengths), make_mask(lengths)
    with torch.no_grad():
        expected = classifier(layer(grid, mask) + grid)
        actual = classify(layer, classifier, grid, mask)
    for row, n in enumerate(lengths):
        torch.testing.assert_close(actual[row, :n, :n], expected[row, :n, :n], rtol=0, atol=1e-9)


@pytest.mark.parametrize("fused", [True, False])
def test_folding_the_classifier_in_single_precision(monkeypatch, fused):
    monkeypatch.setattr(criss_cross_module, "_FUSED_LENGTH", 1 if fused else 10**6)
    layer, classifier = CrissCrossAttention(8, 4), torch.nn.Linear(8, 3)
    layer.query.weight.data *= 50
    grid, mask = make_grid([40, 33], 8).detach(), make_mask([40, 33])
    with torch.no_grad():
        actual = classify(layer, classifier, grid.float(), mask)
        expected = classifier.double()(layer.double()(grid, mask) + grid)
    torch.testing.assert_close(actual[0].double(), expected[0], rtol=0, atol=2e-4)
    torch.testing.assert_close(
        actual[1, :33, :33].double(), expected[1, :33, :33], rtol=0, atol=2e-4
    )


def test_training_never_takes_the_way_without_gradient(assert_same, monkeypatch, layer):
    monkeypatch.setattr(criss_cross_module, "_FUSED_LENGTH", 1)
    classifier = torch.nn.Linear(4, 2).double()
    grid, mask = make_grid([6]), make_mask([6])
    tensors = [grid, *layer.parameters(), *classifier.parameters()]
    expected = classifier(layer(grid, mask) + grid)
    assert_same(classify(layer, classifier, grid, mask), expected, tensors)


def test_works_where_there_is_no_fused_attention(monkeypatch, layer):
    classifier = torch.nn.Linear(4, 2).double()
    grid, mask = make_grid([65]), make_mask([65])
    with torch.no_grad():
        expected = classify(layer, classifier, grid, mask)
        monkeypatch.setattr(criss_cross_module, "_fused_attention", None)
        torch.testing.assert_close(classify(layer, classifier, grid, mask), expected)
