"""Sentences of texts."""

import textwrap
from functools import cache

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from tiny_pipeline import make_examples, model_config

from spacy_gapdner.components.pipelines import load_splitter
from spacy_gapdner.components.sentencizer import blank_pipeline, is_wrapped


def test_punctuation_at_the_start_of_spanish_sentences():
    doc = blank_pipeline("es")("No mejoró. ¿Tuvo fiebre? ¡¿Sí?!\n¿No?")
    assert [s.text.strip() for s in doc.sents] == ["No mejoró.", "¿Tuvo fiebre?", "¡¿Sí?!", "¿No?"]


@pytest.mark.parametrize(
    ("pipes", "disabled", "expected"),
    [
        (["entity_ruler", "sentencizer"], [], ["sentencizer"]),
        # the enabled component splits, as in spaCy's own pipelines
        (["sentencizer", "gapdner_sentencizer"], ["sentencizer"], ["gapdner_sentencizer"]),
        (["sentencizer", "entity_ruler"], ["sentencizer"], ["sentencizer"]),
        (["entity_ruler"], [], ["gapdner_sentencizer"]),
    ],
)
def test_only_components_that_set_sentences_run(tmp_path, pipes, disabled, expected):
    nlp = spacy.blank("en")
    for name in pipes:
        nlp.add_pipe(name)
    nlp.initialize()
    nlp.select_pipes(disable=disabled)
    nlp.to_disk(tmp_path)
    splitter = load_splitter(tmp_path)
    assert splitter.pipe_names == expected
    assert list(splitter("No pain. Rash.").sents)


PROSE = (
    "He had been well until three days before, when severe pain of the left arm and of both legs "
    "kept him from going to work. There was no fever, and no rash that he or the physician of the "
    "practice would have seen. Ibuprofen and rest did not help, so he came to the clinic, where "
    "joint and muscle enzymes were found to be high in the blood and in the urine. It was stopped."
)
WRAPPED = textwrap.fill(PROSE, 60)
PARAGRAPHS = f"History\n\n{WRAPPED}\n\n\n{WRAPPED}\n"
LISTED = "\n".join(f"{drug} 20 mg a day" for drug in ("Aspirin", "Losartan", "Warfarin") * 3)
ONE_A_LINE = PROSE.replace(". ", ".\n")


@cache
def pipeline(**settings):
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer", config=settings)
    return nlp


def split(text, **settings):
    doc = pipeline(**settings)(text)
    assert doc.text == text
    return [" ".join(sentence.text.split()) for sentence in doc.sents]


# lines that end in a mark, like many words in Hindi
MARKS = WRAPPED.replace("\n", "\u0301\n")
JOINED = [WRAPPED, WRAPPED.replace("\n", " \r\n  "), PARAGRAPHS, MARKS]
KEPT = [PROSE, ONE_A_LINE, LISTED, WRAPPED.replace("\n", ".\n"), "\n \n"]
KEPT += [textwrap.fill(PROSE[:200], 60), textwrap.fill(PROSE, 25)]


@pytest.mark.parametrize("text", JOINED + KEPT)
def test_only_wrapped_lines_are_joined(text):
    wrapped = text in JOINED
    assert is_wrapped(text) == wrapped
    same = split(text, line_breaks="join" if wrapped else "keep")
    assert split(text) == split(text, line_breaks="auto") == same
    assert wrapped == (len(split(text, line_breaks="keep")) > len(same))


def test_wrapping_does_not_change_sentences():
    assert split(PARAGRAPHS) == ["History", *split(PROSE), *split(PROSE)]


PIECES = ["pain", " ", "\n", "\n\n", " \r\n", ". ", "¿", "- ", "a long line of words" * 3]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.mark.parametrize("line_breaks", ["auto", "keep", "join"])
@given(texts=st.lists(TEXTS, max_size=6))
def test_other_docs_of_a_batch_do_not_change_sentences(line_breaks, texts):
    nlp = pipeline(line_breaks=line_breaks)
    for doc, text in zip(nlp.pipe(texts), texts, strict=True):
        assert [t.is_sent_start for t in doc] == [t.is_sent_start for t in nlp(text)]
        # a sentence that is not the first of the text starts with a word
        assert not any(sent[0].is_space for sent in list(doc.sents)[1:])


def test_shared_tok2vec(tmp_path):
    nlp = spacy.blank("en")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24}
    nlp.add_pipe("tok2vec", config={"model": model_config()["tok2vec"]})
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    nlp.add_pipe("senter", config={"model": tagger})
    nlp.add_pipe("gapdner", config={"model": model_config(tok2vec=listener)})
    nlp.initialize(lambda: make_examples(nlp))
    nlp.to_disk(tmp_path)
    # otherwise the vectors of all words are zero
    assert load_splitter(tmp_path).pipe_names == ["tok2vec", "senter"]
    message = "'gapdner' has no word vectors for 1 of 1 documents"
    with nlp.select_pipes(disable="tok2vec"), pytest.warns(UserWarning, match=message):
        nlp("No pain.")
