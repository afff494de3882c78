import pytest
import torch
from equations import bilstm

from spacy_gapdner.model.encoder import BiLSTM


@pytest.fixture(params=[True, False], ids=["training", "prediction"])
def layer(request):
    return BiLSTM(3, 8).double().train(request.param)


def make_batch(lengths, width=3):
    words = torch.randn(len(lengths), max(lengths), width, dtype=torch.float64)
    return words.requires_grad_(), torch.tensor(lengths)


def test_reads_each_sentence_as_if_it_stood_alone(assert_same, layer):
    words, lengths = make_batch([2, 5, 1, 5])
    hidden = layer(words, lengths)
    expected = torch.zeros(4, 5, 8, dtype=torch.float64)
    for row, n in enumerate(lengths.tolist()):
        expected[row, :n] = bilstm(words[row, :n], layer.lstm)
    assert_same(hidden, expected, [words, *layer.parameters()])


def test_padding_is_zero_and_gets_no_gradient(layer):
    words, lengths = make_batch([1, 4])
    hidden = layer(words, lengths)
    assert (hidden[0, 1:] == 0).all()
    (gradient,) = torch.autograd.grad(hidden.sum(), [words])
    assert (gradient[0, 1:] == 0).all()
    assert (gradient[0, 0] != 0).any()


def test_keeps_a_width_that_exceeds_all_sentences(layer):
    words, _ = make_batch([6])
    hidden = layer(words, torch.tensor([4]))
    assert hidden.shape == (1, 6, 8)
    torch.testing.assert_close(hidden[0, :4], bilstm(words[0, :4], layer.lstm))


def test_refuses_an_odd_width():
    with pytest.raises(ValueError, match="hidden_width must be even, but it is 7"):
        BiLSTM(3, 7)
