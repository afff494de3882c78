from types import SimpleNamespace

import numpy as np
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_gapdner.model.batching import batch_by_length
from spacy_gapdner.model.word_pieces import WordPieces, lay_out, pad, split_by_doc

TOKENIZER = SimpleNamespace(pad_token="-", pad_token_id=99, pad_token_type_id=7)


def make_pieces(lengths):
    n = sum(lengths)
    ids = np.arange(100, 100 + n)
    return WordPieces(np.array(lengths), ids, ids % 2, [f"p{i}" for i in range(n)], None)


def test_a_layout_worked_out_by_hand():
    # 5; 3 and 3; 2 and 1
    layout = lay_out(np.array([3, 2, 5, 1, 3]), [[2], [0, 4], [1, 3]])
    assert layout.shapes == [(1, 5), (2, 3), (2, 2)]
    assert layout.sizes == [5, 6, 4]
    assert layout.rows.tolist() == [1, 3, 0, 4, 2]
    assert layout.pieces.tolist() == [5, 6, 7, 11, 12, 0, 1, 2, 3, 4, 13, 8, 9, 10]


def test_batches_are_padded_at_the_end():
    pieces, longest_first = make_pieces([1, 3, 2]), [1, 2, 0]
    (batch,) = pad(pieces, lay_out(pieces.lengths, [longest_first]), TOKENIZER)
    assert batch.input_ids.tolist() == [[101, 102, 103], [104, 105, 99], [100, 99, 99]]
    assert batch.attention_mask.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    assert batch.token_type_ids.tolist() == [[1, 0, 1], [0, 1, 7], [0, 7, 7]]


def test_a_tokenizer_without_padding_and_types():
    pieces, longest_first = make_pieces([1, 2])._replace(type_ids=None), [1, 0]
    (batch,) = pad(
        pieces, lay_out(pieces.lengths, [longest_first]), SimpleNamespace(pad_token_id=None)
    )
    assert batch.input_ids.tolist() == [[101, 102], [100, 0]]
    assert batch.token_type_ids is None


@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    max_size=st.integers(1, 40),
    max_padding=st.integers(0, 9),
)
def test_spans_and_pieces_are_where_the_layout_says(lengths, max_size, max_padding):
    pieces = make_pieces(lengths)
    batches = batch_by_length(lengths, max_size, max_padding=max_padding)
    layout = lay_out(pieces.lengths, batches)
    batches = pad(pieces, layout, TOKENIZER)
    assert [batch.input_ids.shape for batch in batches] == layout.shapes
    flat = np.concatenate([batch.input_ids.ravel() for batch in batches])
    assert flat[layout.pieces].tolist() == pieces.ids.tolist()
    rows = [row[row != 99].tolist() for batch in batches for row in batch.input_ids]
    spans = [ids.tolist() for ids in np.split(pieces.ids, np.cumsum(lengths)[:-1])]
    assert [rows[place] for place in layout.rows] == spans


def test_documents_have_a_row_for_each_span():
    nlp = spacy.blank("en")
    docs = [Doc(nlp.vocab, words=["a", "b", "c"]), Doc(nlp.vocab, words=["d"])]
    nested = [[docs[0][0:2], docs[0][2:3]], [docs[1][0:1]]]
    # "a" has two pieces, "b" and "c" have one; a special piece comes first in each span
    offsets = np.array([[0, 0], [0, 1], [0, 1], [2, 3], [0, 0], [0, 1], [0, 0], [0, 1]])
    pieces = make_pieces([4, 2, 2])._replace(offsets=offsets)
    layout = lay_out(pieces.lengths, [[0, 1], [2]])
    (first, align), (second, other_align) = split_by_doc(nested, pieces, layout, TOKENIZER)
    assert first.strings == [["p0", "p1", "p2", "p3"], ["p4", "p5", "-", "-"]]
    assert first.input_ids.tolist() == [[100, 101, 102, 103], [104, 105, 99, 99]]
    assert first.lengths == [4, 2]
    assert second.strings == [["p6", "p7"]]
    assert second.lengths == [2]
    assert align.lengths.tolist() == [2, 1, 1]
    assert align.dataXd.tolist() == [1, 2, 3, 5]
    assert other_align.dataXd.tolist() == [1]
