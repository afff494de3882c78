import pytest
import torch
from baseline_equations import co_predictor, conditional_norm, convolutions

from project.baselines.tagging import TOETagging, W2NERTagging
from project.baselines.w2ner import ConditionalLayerNorm, CoPredictor, DilatedConvolutions

STEPS = [1, 2, 3]


def make_mask(lengths):
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)


def make_grid(lengths, width=2):
    n = max(lengths)
    return torch.randn(len(lengths), n, n, width, dtype=torch.float64, requires_grad=True)


def make_convolutions(width=2, dropout=0.5):
    return DilatedConvolutions(width, STEPS, dropout).double().eval()


def make_words(n, width=4):
    return torch.randn(2, n, width, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_conditional_norm_is_its_equation(assert_same, n):
    layer = ConditionalLayerNorm(4).double()
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    hidden = make_words(n)
    actual = layer(hidden)
    assert actual.shape == (2, n, n, 4)
    expected = torch.stack([conditional_norm(h, layer.gain, layer.bias) for h in hidden])
    assert_same(actual, expected, [hidden, *layer.parameters()])


def test_conditional_norm_by_hand():
    layer = ConditionalLayerNorm(2)
    with torch.no_grad():
        layer.gain.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
        layer.gain.bias.zero_()
        layer.bias.weight.copy_(torch.tensor([[0.0, 10.0], [0.0, 0.0]]))
        layer.bias.bias.copy_(torch.tensor([0.0, 0.5]))
    # of two numbers the larger becomes 1 and the smaller -1
    pairs = layer(torch.tensor([[[3.0, 1.0], [2.0, 4.0]]]))[0]
    # word 0 asks for the gain (3, 2) and the bias (10, 0.5), word 1 for (2, 8) and (40, 0.5)
    by_hand = [[[13.0, -1.5], [7.0, 2.5]], [[42.0, -7.5], [38.0, 8.5]]]
    torch.testing.assert_close(pairs, torch.tensor(by_hand), rtol=0, atol=1e-3)


def test_conditional_norm_begins_as_plain_norm():
    hidden = torch.randn(1, 3, 4)
    pairs = ConditionalLayerNorm(4)(hidden)
    plain = torch.nn.functional.layer_norm(hidden, (4,))
    torch.testing.assert_close(pairs, plain.unsqueeze(1).expand(1, 3, 3, 4))


@pytest.mark.parametrize("lengths", [[1], [2], [5], [3, 1, 8]])
def test_convolutions_of_each_sentence(assert_same, lengths):
    part, grid = make_convolutions(), make_grid(lengths)
    output = part(grid, make_mask(lengths))
    assert output.shape == (len(lengths), max(lengths), max(lengths), part.n_out)
    actual = [output[row, :n, :n].reshape(-1, part.n_out) for row, n in enumerate(lengths)]
    expected = [
        convolutions(grid[row, :n, :n], part.convolutions, STEPS).reshape(-1, part.n_out)
        for row, n in enumerate(lengths)
    ]
    assert_same(torch.cat(actual), torch.cat(expected), [grid, *part.parameters()])


def test_convolutions_look_as_far_as_they_are_dilated():
    part = make_convolutions(width=1)
    with torch.no_grad():
        for layer in part.convolutions:
            layer.weight.fill_(1.0)
            layer.bias.zero_()
    grid = torch.zeros(1, 9, 9, 1, dtype=torch.float64)
    grid[0, 4, 5] = 1.0
    output = part(grid, make_mask([9]))[0]
    for channel, step in enumerate(STEPS):
        seeing = [(i, j) for i in (4 - step, 4, 4 + step) for j in (5 - step, 5, 5 + step)]
        assert [tuple(cell) for cell in output[..., channel].nonzero().tolist()] == seeing


def test_what_stands_in_the_padding_is_of_no_account_to_convolutions():
    part, mask = make_convolutions(), make_mask([2, 4])
    grid = make_grid([2, 4]).detach()
    other = grid.clone()
    other[0, 2:] = 1e6
    other[0, :, 2:] = -1e6
    torch.testing.assert_close(part(other, mask)[0, :2, :2], part(grid, mask)[0, :2, :2])


def test_convolutions_read_whole_channels_or_none_of_them():
    part = make_convolutions(width=100).train()
    read = []
    for layer in part.convolutions:
        layer.register_forward_pre_hook(lambda _, args: read.append(args[0]))
    part(make_grid([3, 3], width=100), make_mask([3, 3]))
    dropped = (read[0] == 0).flatten(2)
    assert torch.equal(dropped.any(2), dropped.all(2))
    n_dropped = dropped.all(2).sum(1)
    assert ((n_dropped > 20) & (n_dropped < 80)).all()
    # each sentence drops channels of its own, the same for every convolution
    assert not torch.equal(dropped[0], dropped[1])
    assert all(torch.equal(image, read[0]) for image in read)


@pytest.mark.parametrize("n", [1, 4])
def test_co_predictor_is_the_sum_of_two_predictions(assert_same, n):
    layout = W2NERTagging().layout(["A", "B"])
    part = CoPredictor(4, 3, 5, 6, layout, dropout=0.5, none_bias=2.0).double().eval()
    words, grid = make_words(n), make_grid([n, n], width=3)
    actual = part(words, grid)
    assert actual.shape == (2, n, n, 4)
    expected = torch.stack([co_predictor(w, g, part) for w, g in zip(words, grid, strict=True)])
    assert_same(actual, expected, [words, grid, *part.parameters()])


@pytest.mark.parametrize(
    ("tagging", "bias"),
    [(W2NERTagging(), [0.0, -2.0, -2.0, -2.0]), (TOETagging(), [-2.0] * 6)],
)
def test_co_predictor_prefers_none_at_first(tagging, bias):
    part = CoPredictor(4, 3, 5, 6, tagging.layout(["A", "B"]), dropout=0.0, none_bias=2.0)
    assert part.classifier.bias.tolist() == bias
