"""Texts as Docs, and their sentences."""

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.sentences import load_splitter, make_doc

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


LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 8, "upstream": "*"}
TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 8,
    "depth": 1,
    "embed_size": 10,
    "window_size": 1,
    "maxout_pieces": 1,
    "subword_features": False,
    "pretrained_vectors": None,
}
SENTER = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}


@pytest.mark.parametrize(
    ("pipes", "disabled", "expected"),
    [
        (["entity_ruler", "sentencizer"], [], ["sentencizer"]),
        (["tok2vec", "entity_ruler", "senter"], [], ["tok2vec", "senter"]),
        # as in spaCy's own pipelines: the other splits
        (["sentencizer", "gapdner_sentencizer"], ["sentencizer"], ["gapdner_sentencizer"]),
        (["sentencizer", "entity_ruler"], ["sentencizer"], ["sentencizer"]),
        (["entity_ruler"], [], ["gapdner_sentencizer"]),
    ],
)
def test_what_runs_of_a_pipeline_to_split_sentences(tmp_path, pipes, disabled, expected):
    nlp = spacy.blank("en")
    configs = {"tok2vec": {"model": TOK2VEC}, "senter": {"model": SENTER}}
    for name in pipes:
        nlp.add_pipe(name, config=configs.get(name, {}))
    nlp.initialize()
    for name in disabled:
        nlp.disable_pipe(name)
    nlp.to_disk(tmp_path)
    splitter = load_splitter(tmp_path)
    assert splitter.pipe_names == expected
    assert list(splitter("No pain. Rash.").sents)


def test_no_pipeline(tmp_path):
    with pytest.raises(GapDNERError, match="Cannot load the pipeline"):
        load_splitter(tmp_path)
