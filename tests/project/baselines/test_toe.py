import pytest
import torch
from baseline_equations import tag_embedding

from project.baselines.toe import TagRepresentationEmbedding


def make_part(n_heads=2, dropout=0.5):
    return TagRepresentationEmbedding(6, n_tags=3, n_heads=n_heads, dropout=dropout)


def make_batch(lengths):
    hidden = torch.randn(len(lengths), max(lengths), 6, dtype=torch.float64, requires_grad=True)
    return hidden, torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)


@pytest.mark.parametrize("n_heads", [1, 2, 3])
@pytest.mark.parametrize("lengths", [[1], [4], [3, 1, 5]])
def test_words_and_tags_attend_to_each_other(assert_same, n_heads, lengths):
    part = make_part(n_heads).double().eval()
    hidden, mask = make_batch(lengths)
    output = part(hidden, mask)
    assert output.shape == hidden.shape
    actual = [output[row, :n] for row, n in enumerate(lengths)]
    expected = [tag_embedding(hidden[row, :n], part, n_heads) for row, n in enumerate(lengths)]
    assert_same(torch.cat(actual), torch.cat(expected), [hidden, *part.parameters()])


def test_every_tag_counts():
    part = make_part().double().eval()
    hidden, mask = make_batch([4])
    before = part(hidden, mask)
    for tag in part.tags:
        with torch.no_grad():
            tag.neg_()
        after = part(hidden, mask)
        # for every word
        assert ((after - before).abs() > 1e-6).any(-1).all()
        before = after


def test_what_stands_in_the_padding_is_of_no_account():
    part = make_part().double().eval()
    hidden, mask = make_batch([2, 4])
    other = hidden.detach().clone()
    other[0, 2:] = 1e6
    torch.testing.assert_close(part(other, mask)[0, :2], part(hidden, mask)[0, :2])
    torch.testing.assert_close(part(hidden[:1, :2], mask[:1, :2])[0], part(hidden, mask)[0, :2])


def test_the_same_without_gradients():
    # PyTorch has another implementation for prediction
    part = make_part().eval()
    hidden, mask = make_batch([3, 5])
    expected = part(hidden.float(), mask)
    with torch.no_grad():
        actual = part(hidden.float(), mask)
    torch.testing.assert_close(actual[mask], expected[mask], rtol=0, atol=1e-5)
