import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_gapdner.analysis import predictions
from spacy_gapdner.analysis.predictions import batch_texts, predict_examples


def batches(lengths, size):
    return [list(batch) for batch in batch_texts(lengths, size, lambda length: length)]


def test_batches_end_at_their_size_and_at_a_long_text():
    assert batches([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
    assert batches([10, 99_990, 1, 200_000, 0, 7], 4) == [[10, 99_990], [1, 200_000], [0, 7]]
    assert batches([], 3) == []


@given(lengths=st.lists(st.integers(0, 150_000), max_size=12), size=st.integers(1, 5))
def test_batches_hold_all_texts_in_order_within_the_limits(lengths, size):
    found = batches(lengths, size)
    assert [length for batch in found for length in batch] == lengths
    for number, batch in enumerate(found):
        assert 1 <= len(batch) <= size
        # what came before the last text was short
        assert sum(batch[:-1]) < 100_000
        # none ends early
        assert number == len(found) - 1 or len(batch) == size or sum(batch) >= 100_000


def test_batches_ask_for_no_text_in_advance():
    asked = []

    def texts():
        for length in (60_000, 60_000, 5, 100_000):
            asked.append(length)
            yield length

    stream = batch_texts(texts(), 10, lambda length: length)
    assert next(stream) == [60_000, 60_000]
    assert asked == [60_000, 60_000]


@pytest.mark.parametrize(("characters", "largest"), [(5, 1), (10, 2), (1000, 3)])
def test_a_pipeline_takes_fewer_documents_that_are_long(monkeypatch, characters, largest):
    monkeypatch.setattr(predictions, "_BATCH_CHARACTERS", characters)
    nlp = spacy.blank("en")
    docs = [Doc(nlp.vocab, words=["five5"], spaces=[False]) for _ in range(9)]
    asked = []

    def stream():
        for number, doc in enumerate(docs):
            asked.append(number)
            yield doc

    examples = predict_examples(nlp, stream(), batch_size=3)
    first = next(examples)
    assert len(asked) == largest
    assert [first, *examples][-1].reference is docs[-1]
    assert len(asked) == 9
