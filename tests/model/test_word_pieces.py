from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from thinc.api import Ragged

from spacy_gapdner.model.word_pieces import WordPieces, join_alignments, lay_out, pad

TOKENIZER = SimpleNamespace(pad_token_id=99, pad_token_type_id=7)


def make_pieces(lengths):
    n = sum(lengths)
    ids = np.arange(100, 100 + n)
    return WordPieces(np.array(lengths), ids, ids % 2, [f"p{i}" for i in range(n)], None)


def test_a_layout_worked_out_by_hand():
    # 5; 3 and 3; 2 and 1
    layout = lay_out(np.array([3, 2, 5, 1, 3]), 6, 1)
    assert layout.shapes == [(1, 5), (2, 3), (2, 2)]
    assert layout.sizes == [5, 6, 4]
    assert layout.rows.tolist() == [1, 3, 0, 4, 2]
    assert layout.pieces.tolist() == [5, 6, 7, 11, 12, 0, 1, 2, 3, 4, 13, 8, 9, 10]


def test_batches_are_padded_at_the_end():
    pieces = make_pieces([1, 3, 2])
    (batch,) = pad(pieces, lay_out(pieces.lengths, 9, 3), TOKENIZER)
    assert batch.input_ids.tolist() == [[101, 102, 103], [104, 105, 99], [100, 99, 99]]
    assert batch.attention_mask.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    assert batch.token_type_ids.tolist() == [[1, 0, 1], [0, 1, 7], [0, 7, 7]]


def test_a_tokenizer_without_padding_and_types():
    pieces = make_pieces([1, 2])._replace(type_ids=None)
    (batch,) = pad(pieces, lay_out(pieces.lengths, 9, 3), SimpleNamespace(pad_token_id=None))
    assert batch.input_ids.tolist() == [[101, 102], [100, 0]]
    assert batch.token_type_ids is None


@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    max_size=st.integers(1, 40),
    max_padding=st.integers(0, 9),
)
def test_spans_and_pieces_are_where_the_layout_says(lengths, max_size, max_padding):
    pieces = make_pieces(lengths)
    layout = lay_out(pieces.lengths, max_size, max_padding)
    batches = pad(pieces, layout, TOKENIZER)
    assert [batch.input_ids.shape for batch in batches] == layout.shapes
    flat = np.concatenate([batch.input_ids.ravel() for batch in batches])
    assert flat[layout.pieces].tolist() == pieces.ids.tolist()
    rows = [row[row != 99].tolist() for batch in batches for row in batch.input_ids]
    spans = [pieces.take(slice(i, i + 1)).ids.tolist() for i in range(len(lengths))]
    assert [rows[place] for place in layout.rows] == spans


def test_taking_spans():
    part = make_pieces([2, 3, 1, 4]).take(slice(1, 3))
    assert part.lengths.tolist() == [3, 1]
    assert part.ids.tolist() == [102, 103, 104, 105]
    assert part.type_ids.tolist() == [0, 1, 0, 1]
    assert part.to_row().strings == [["p2", "p3", "p4", "p5"]]


def test_alignments_of_documents_follow_one_another():
    first = Ragged(np.array([1, 2, 3], dtype="i"), np.array([1, 0, 2], dtype="i"))
    second = Ragged(np.array([0, 1], dtype="i"), np.array([2], dtype="i"))
    joined = join_alignments([first, second], [5, 2])
    assert joined.dataXd.tolist() == [1, 2, 3, 5, 6]
    assert joined.lengths.tolist() == [1, 0, 2, 2]
