from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.model.batching import batch_by_length
from spacy_gapdner.model.word_pieces import WordPieces, lay_out, pad

TOKENIZER = SimpleNamespace(pad_token="-", pad_token_id=99, pad_token_type_id=7)


def make_pieces(lengths):
    n = sum(lengths)
    ids = np.arange(100, 100 + n)
    return WordPieces(np.array(lengths), ids, ids % 2, [f"p{i}" for i in range(n)], None)


def test_batches_are_padded_at_the_end():
    pieces, longest_first = make_pieces([1, 3, 2]), [1, 2, 0]
    layout = lay_out(pieces.lengths, [longest_first])
    (batch,) = pad(pieces, layout, TOKENIZER)
    assert batch.input_ids.tolist() == [[101, 102, 103], [104, 105, 99], [100, 99, 99]]
    assert batch.attention_mask.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    assert batch.token_type_ids.tolist() == [[1, 0, 1], [0, 1, 7], [0, 7, 7]]
    # a tokenizer without padding and types
    untyped = pieces._replace(type_ids=None)
    (batch,) = pad(untyped, layout, SimpleNamespace(pad_token_id=None))
    assert batch.input_ids[1:].tolist() == [[104, 105, 0], [100, 0, 0]]
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
