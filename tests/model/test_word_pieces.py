from types import SimpleNamespace

import numpy as np

from spacy_gapdner.model.word_pieces import WordPieces, find_positions, pad


def test_batches_are_padded_at_the_end():
    ids = np.arange(100, 106)
    pieces = WordPieces(np.array([1, 3, 2]), ids, ids % 2, [f"p{i}" for i in range(6)], None)
    positions = find_positions(pieces.lengths, [[1, 2, 0]])
    assert positions.shapes == [(3, 3)]
    assert positions.pieces.tolist() == [6, 0, 1, 2, 3, 4]
    tokenizer = SimpleNamespace(pad_token="-", pad_token_id=99, pad_token_type_id=7)
    (batch,) = pad(pieces, positions, tokenizer)
    assert batch.input_ids.tolist() == [[101, 102, 103], [104, 105, 99], [100, 99, 99]]
    assert batch.attention_mask.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    assert batch.token_type_ids.tolist() == [[1, 0, 1], [0, 1, 7], [0, 7, 7]]
    # a tokenizer without padding and types
    pieces = pieces._replace(type_ids=None)
    (batch,) = pad(pieces, positions, SimpleNamespace(pad_token_id=None))
    assert batch.input_ids[1:].tolist() == [[104, 105, 0], [100, 0, 0]]
    assert batch.token_type_ids is None
