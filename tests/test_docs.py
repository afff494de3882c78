"""Tokens, parts, sentences and languages of Docs."""

from collections import Counter

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_gapdner.docs import (
    DOC_LANG,
    count_languages,
    cut_doc,
    describe_language,
    describe_other_languages,
    get_sentences,
    make_doc,
    split_tokens,
    without_annotation,
)

NLP = spacy.blank("en")


def tokens(doc):
    return [(t.text, t.whitespace_, t.norm_, t.idx) for t in doc]


def german_doc(lang):
    doc = spacy.blank("de").make_doc("starke Schmerzen")
    doc.user_data[DOC_LANG] = lang
    return doc


@given(text=st.text(alphabet="ab '(.\n", max_size=60))
def test_usual_texts_get_the_tokens_of_spacy(text):
    assert tokens(make_doc(NLP, text)) == tokens(NLP.make_doc(text))


def test_long_texts_are_split_for_the_tokenizer():
    words = ["x" * 1000, "y" * 1001, "z" * 2500, "."]
    doc = make_doc(NLP, " ".join(words))
    assert doc.text == " ".join(words)
    assert [len(token) for token in doc] == [1000, 1000, 1, 1000, 1000, 500, 1]
    # a piece is not a sentence
    assert not doc.has_annotation("SENT_START")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = 10**9
    assert len(list(nlp(doc).sents)) == 1
    # without splitting, this takes minutes: 64 times as long as 1000 brackets
    assert len(make_doc(NLP, "(" * 8000)) == 8000
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=[text])
    assert len(make_doc(nlp, "x" * 3000)) == 1


@pytest.mark.parametrize(
    ("offsets", "words"),
    [
        ([2], ["jo", "int", "pain"]),
        # in any order, also several in a token
        ([8, 3, 1], ["j", "oi", "nt", "pa", "in"]),
        ([0, 5, 6, 10], ["joint", "pain"]),
        ([], ["joint", "pain"]),
    ],
)
def test_split_tokens(offsets, words):
    doc = NLP.make_doc("joint pain")
    split = split_tokens(doc, offsets)
    assert [token.text for token in split] == words
    assert split.text == doc.text
    assert (split is doc) == (len(words) == 2)


def test_parts_of_a_doc():
    doc = NLP.make_doc("No severe pain. No rash.")
    doc.ents = [doc.char_span(3, 14, "ADE")]
    assert [token.text for token in doc] == ["No", "severe", "pain", ".", "No", "rash", "."]
    for token in doc:
        token.is_sent_start = token.i in (0, 4)
    parts = list(cut_doc(doc, [(0, 4), (4, 7), (1, 3)], ["NORM", "SENT_START"]))
    assert [part.text for part in parts] == ["No severe pain. ", "No rash.", "severe pain"]
    assert [[token.norm_ for token in part] for part in parts] == [
        ["no", "severe", "pain", "."],
        ["no", "rash", "."],
        ["severe", "pain"],
    ]
    assert [len(list(part.sents)) for part in parts] == [1, 1, 1]
    # other attributes are not copied
    assert [part.ents for part in parts] == [()] * 3


def test_doc_to_predict():
    reference = NLP("a/b isn't pain")
    reference.ents = [reference[0:1]]
    doc = without_annotation(reference, NLP)
    assert tokens(doc) == tokens(reference)
    assert (doc.ents, doc is reference) == ((), False)
    # other tokens than the tokenizer's, without spaces that show the original text
    given_tokens = Doc(NLP.vocab, words=["isn't", "pain", "."])
    doc = without_annotation(given_tokens, NLP)
    assert [token.text for token in doc] == ["isn't", "pain", "."]


def test_sentences():
    doc = NLP.make_doc("No pain. No rash.")
    assert [sentence.text for sentence in get_sentences(doc)] == ["No pain. No rash."]
    doc[3].is_sent_start = True
    assert [sentence.text for sentence in get_sentences(doc)] == ["No pain.", "No rash."]
    # a user's hook
    doc.user_hooks["sents"] = lambda doc: [doc[:3], doc[3:3], doc[3:]]
    assert [sentence.text for sentence in get_sentences(doc)] == ["No pain.", "No rash."]


def test_names_of_languages():
    assert describe_language("de") == "German (de)"
    assert describe_language("qqq") == "qqq"


def test_other_languages():
    counts = Counter()
    docs = [german_doc("en"), german_doc("de"), german_doc("en"), NLP.make_doc("x")]
    assert list(count_languages(docs, counts)) == docs
    assert counts == {"en": 2, "de": 1}
    message = describe_other_languages(counts, "de")
    assert message.startswith("The pipeline tokenizes with the rules of German (de), but")
    assert message.endswith(
        "other rules: 2 with the rules of English (en). Entities can end inside its tokens. Use "
        "init-config --lang en, or convert --lang de."
    )
    assert describe_other_languages({"de": 3}, "de") == ""
    assert describe_other_languages(counts, None) == ""
