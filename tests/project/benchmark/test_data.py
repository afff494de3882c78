import pytest
from benchmark_pipelines import make_pipeline
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from tiny_pipeline import CORPUS, expected, found

from project.benchmark.data import make_batches, read_examples


@pytest.fixture(scope="module")
def nlp():
    return make_pipeline("tok2vec", None)


def read(nlp, path, limit=0):
    return read_examples(nlp, nlp.get_pipe("gapdner"), path, limit)


def write(path, *docs):
    DocBin(docs=docs).to_disk(path)
    return path


def test_gold_and_tokens(nlp, data):
    examples = read(nlp, data)
    assert [example.text for example in examples] == [f"{text} " for text, _ in CORPUS]
    assert [found(example.reference) for example in examples] == [
        expected(entities) for _, entities in CORPUS
    ]
    assert not any(found(example.predicted) for example in examples)


def test_tokens_and_sentences_are_those_of_the_pipeline(nlp, tmp_path):
    doc = Doc(nlp.vocab, words=["joint", "pain.Fever", "(high)"])
    (example,) = read(nlp, write(tmp_path / "a.spacy", Doc(nlp.vocab), doc))
    sentences = [[token.text for token in sentence] for sentence in example.predicted.sents]
    assert sentences == [["joint", "pain", "."], ["Fever", "(", "high", ")"]]


def test_limit(nlp, data):
    assert [len(example.predicted) for example in read(nlp, data, limit=2)] == [9, 8]


@given(st.lists(st.integers(1, 50)), st.integers(1, 5))
def test_batches(lengths, size):
    vocab = Vocab()
    docs = [Doc(vocab, words=["x"] * length) for length in lengths]
    batches = make_batches([Example(doc, doc) for doc in docs], size)
    assert all(len(batch) == size for batch in batches[:-1])
    assert [len(e.predicted) for batch in batches for e in batch] == sorted(lengths, reverse=True)
