import pytest
import torch
from equations import bilstm

from spacy_gapdner.model.encoder import BiLSTM


@pytest.mark.parametrize("is_train", [True, False])
def test_reads_each_sentence_as_if_it_stood_alone(assert_same, is_train):
    layer = BiLSTM(3, 8).double().train(is_train)
    # more sentences than are read at once, the last ones shorter
    lengths = torch.tensor([2, 5, 1, 5] * 4 + [3, 1])
    # a width that exceeds all sentences is kept
    words = torch.randn(18, 6, 3, dtype=torch.float64, requires_grad=True)
    expected = torch.zeros(18, 6, 8, dtype=torch.float64)
    for row, n in enumerate(lengths.tolist()):
        expected[row, :n] = bilstm(words[row, :n], layer.lstm)
    # so padding is zero and gets no gradient
    assert_same(layer(words, lengths), expected, [words, *layer.parameters()])
