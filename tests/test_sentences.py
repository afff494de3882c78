"""Texts as Docs."""

import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.sentences import make_doc

NLP = spacy.blank("en")


def tokens(doc):
    return [(t.text, t.whitespace_, t.norm_, t.idx) for t in doc]


@given(text=st.text(alphabet="ab '(.\n", max_size=60))
def test_usual_texts_are_tokenized_as_ever(text):
    assert tokens(make_doc(NLP, text)) == tokens(NLP.make_doc(text))


@settings(max_examples=50)
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


def test_the_tokenizer_gets_no_longer_run_and_others_get_texts_whole(monkeypatch):
    # alone it would take 64 times as long for 8000 as for 1000, which is minutes
    asked = []
    tokenize = NLP.make_doc
    monkeypatch.setattr(NLP, "make_doc", lambda text: asked.append(text) or tokenize(text))
    doc = make_doc(NLP, f"{'(' * 8000} end")
    assert [len(piece) for piece in asked] == [1000] * 7 + [1004]
    assert "".join(asked) == doc.text
    nlp = spacy.blank("en")
    tokenizer = nlp.tokenizer
    nlp.tokenizer = lambda text: asked.append(text) or tokenizer(text)
    make_doc(nlp, "x" * 3000)
    assert asked[8:] == ["x" * 3000]
