import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from thinc.api import Ragged

from spacy_gapdner.model.pooling import reduce_max_v1

LENGTHS = st.lists(st.integers(0, 4), min_size=1, max_size=8)


@given(lengths=LENGTHS, seed=st.integers(0, 2**16))
def test_maximum_of_the_pieces_of_each_word(lengths, seed):
    random = np.random.default_rng(seed)
    data = random.normal(size=(sum(lengths), 3)).astype("float32")
    pieces = Ragged(data, np.array(lengths, dtype="int32"))
    words, backprop = reduce_max_v1()(pieces, is_train=True)
    ends = np.cumsum(lengths)
    pieces_of_words = [range(end - n, end) for n, end in zip(lengths, ends, strict=True)]
    expected = [data[list(rows)].max(axis=0) if rows else [0] * 3 for rows in pieces_of_words]
    assert_allclose(words, expected)
    # the gradient goes to the largest piece
    d_words = random.normal(size=words.shape).astype("float32")
    d_pieces = backprop(d_words)
    expected = np.zeros_like(data)
    for word, rows in enumerate(pieces_of_words):
        for column in range(3 if rows else 0):
            largest = max(rows, key=lambda row: data[row, column])
            expected[largest, column] = d_words[word, column]
    assert_allclose(d_pieces.dataXd, expected)
    assert d_pieces.lengths.tolist() == lengths
