import pytest
from benchmark_pipelines import LENGTHS, TEXTS, make_pipeline
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from tiny_pipeline import found, make_doc

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.benchmark.corpus import longest_of_group, make_batches, read_corpus


@pytest.fixture(scope="module")
def nlp():
    return make_pipeline("tok2vec", None)


def read(nlp, docs, limit=0):
    return read_corpus(nlp, nlp.get_pipe("gapdner"), docs, limit)


def test_sentences(nlp):
    corpus = read(nlp, [nlp.make_doc(text) for text in TEXTS])
    assert corpus.texts == [text for text in TEXTS if text]
    assert corpus.lengths == LENGTHS
    assert [example.text.strip() for example in corpus.examples[:3]] == [
        "severe joint , shoulder and upper body pain .",
        "took aspirin and ibuprofen daily",
        "fever",
    ]
    for example in corpus.examples:
        assert len(list(example.predicted.sents)) == 1
        assert example.text == example.reference.text


def test_words_are_those_of_the_pipeline(nlp):
    """Whatever the tokens of the data are."""
    corpus = read(nlp, [Doc(nlp.vocab, words=["joint", "pain.Fever", "(high)"])])
    words = [token.text for example in corpus.examples for token in example.predicted]
    assert words == ["joint", "pain", ".", "Fever", "(", "high", ")"]


def test_limit_cuts_the_last_document(nlp):
    docs = [nlp.make_doc(text) for text in (TEXTS[1], TEXTS[0], TEXTS[3])]
    corpus = read(nlp, docs, limit=2)
    assert corpus.texts == ["fever", "severe joint , shoulder and upper body pain ."]
    assert (corpus.lengths, corpus.docs) == ([1, 9], docs[:2])


def test_entities_go_to_their_sentences(nlp):
    gold = make_doc(
        nlp,
        "fever . no pain in left arm or right leg",
        [("SYMPTOM", [0]), ("SYMPTOM", [3, 4, 8, 9]), ("BODY", [5, 6])],
    )
    corpus = read(nlp, [gold])
    references = [example.reference for example in corpus.examples]
    assert [found(reference) for reference in references] == [
        [("SYMPTOM", [0])],
        [("SYMPTOM", [1, 2, 6, 7]), ("BODY", [3, 4])],
    ]
    assert corpus.n_left_out == 0
    assert not any(found(example.predicted) for example in corpus.examples)


def test_entities_that_are_left_out(nlp):
    gold = Doc(nlp.vocab, words=["fever", ".", "joint", "pain", "(high", ")"])
    entities = [
        # of a type that the pipe does not have; in two sentences; not of whole words
        Entity("OTHER", ((0, 1),)),
        Entity("SYMPTOM", ((0, 1), (3, 4))),
        Entity("SYMPTOM", ((4, 5),)),
        Entity("SYMPTOM", ((2, 4),)),
    ]
    set_entities(gold, entities)
    corpus = read(nlp, [gold])
    assert corpus.n_left_out == 2
    assert sum(len(found(example.reference)) for example in corpus.examples) == 2


def test_no_sentence_boundaries(nlp):
    with nlp.select_pipes(disable=["sentencizer"]):
        corpus = read(nlp, [nlp.make_doc(TEXTS[0])])
    assert corpus.lengths == [14]


@pytest.mark.parametrize(
    ("length", "longest"), [(1, 16), (16, 16), (17, 32), (32, 32), (33, 64), (129, 256)]
)
def test_longest_of_group(length, longest):
    assert longest_of_group(length) == longest


def test_make_batches():
    assert make_batches([9, 20, 5, 40, 17, 9, 33], 2) == [[3, 6], [1, 4], [0, 5], [2]]


@given(st.lists(st.integers(1, 200)), st.integers(1, 5))
def test_batches(lengths, size):
    batches = make_batches(lengths, size)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    sorted_lengths = [lengths[i] for batch in batches for i in batch]
    assert sorted_lengths == sorted(lengths, reverse=True)
    for batch in batches:
        assert 1 <= len(batch) <= size
        assert len({longest_of_group(lengths[i]) for i in batch}) == 1
