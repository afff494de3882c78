import statistics

import pytest

from spacy_gapdner.benchmark.sample import make_texts
from spacy_gapdner.sentences import blank_pipeline


@pytest.mark.parametrize(("n_sentences", "sizes"), [(1, [1]), (10, [10]), (23, [10, 10, 3])])
def test_sentences_of_a_text(n_sentences, sizes):
    docs = blank_pipeline().pipe(make_texts(n_sentences))
    assert [len(list(doc.sents)) for doc in docs] == sizes


def test_lengths():
    """As in articles: 24 words on average, half of the sentences shorter than 21."""
    lengths = [
        len(sentence) for doc in blank_pipeline().pipe(make_texts(1000)) for sentence in doc.sents
    ]
    assert statistics.mean(lengths) == pytest.approx(24, abs=1)
    assert statistics.median(lengths) == pytest.approx(20.6, abs=1)
    assert min(lengths) >= 3
    assert max(lengths) > 64


def test_the_same_texts_every_time():
    assert make_texts(20) == make_texts(20)
    assert make_texts(20) != make_texts(20, seed=1)
