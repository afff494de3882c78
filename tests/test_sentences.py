"""Texts as Docs."""

import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.sentences import make_doc

NLP = spacy.blank("en")


def tokens(doc):
    return [(t.text, t.whitespace_, t.norm_, t.idx) for t in doc]


@given(text=st.text(alphabet="ab '(.\n", max_size=60))
def test_usual_texts_are_tokenised_as_ever(text):
    assert tokens(make_doc(NLP, text)) == tokens(NLP.make_doc(text))


@given(parts=st.lists(st.tuples(st.sampled_from(["x", "'m ", "é", " "]), st.integers(1, 2500))))
def test_no_character_is_lost(parts):
    text = "I'm " + "".join(part * (count // len(part)) for part, count in parts)
    doc = make_doc(NLP, text)
    assert doc.text == text
    assert tokens(doc)[:2] == tokens(NLP.make_doc("I'm "))


def test_only_what_is_too_long_is_cut():
    words = ["x" * 1000, "y" * 1001, "z" * 2500, "."]
    doc = make_doc(NLP, " ".join(words))
    assert [len(token) for token in doc] == [1000, 1000, 1, 1000, 1000, 500, 1]
    assert [bool(token.whitespace_) for token in doc] == [1, 0, 1, 0, 0, 1, 0]


def test_other_tokenizers_get_texts_whole():
    nlp = spacy.blank("en")
    asked = []
    tokenizer = nlp.tokenizer

    def tokenize(text):
        asked.append(text)
        return tokenizer(text)

    nlp.tokenizer = tokenize
    make_doc(nlp, "x" * 3000)
    assert asked == ["x" * 3000]
