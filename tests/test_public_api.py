import inspect

import pytest
from spacy.vocab import Vocab
from tiny_pipeline import ANNOTATED, gold_docs, trained_pipeline

import spacy_gapdner
from spacy_gapdner import check_data, evaluate, predict, stats


def test_public_names_are_documented():
    for name in spacy_gapdner.__all__:
        value = getattr(spacy_gapdner, name)
        assert value.__name__ == name
        assert inspect.getdoc(value)
    with pytest.raises(AttributeError, match="No spacy_gapdner attribute nothing"):
        _ = spacy_gapdner.nothing


def test_a_program_of_a_user():
    docs = gold_docs(Vocab())
    assert stats(docs).discontinuous == 2
    assert check_data(docs).setup.spans_key == "gapdner"
    nlp = trained_pipeline()
    assert evaluate(nlp, docs)["spans_gapdner_f"] == 1.0
    doc, *_ = predict(nlp, [text for text, _ in ANNOTATED])
    assert [e.text for e in doc._.discontinuous_ents] == [
        "Severe joint pain",
        "Severe shoulder pain",
    ]
