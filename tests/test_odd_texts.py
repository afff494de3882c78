"""Predictions on unusual texts with a tok2vec and a transformer."""

import pytest
import torch
from grid_models import network_of
from odd_texts import ODD_TEXTS
from spacy.training import Example
from tiny_pipeline import ANNOTATED, gold_docs, trained_pipeline
from tiny_transformer import N_POSITIONS, load_small_pipeline, save_bert

from spacy_gapdner import get_entities
from spacy_gapdner.entities import check_entity
from spacy_gapdner.inference.predictions import predict

ASPIRIN = ANNOTATED[1][0]
TEXTS = [*ODD_TEXTS.values(), " ".join(f"word{i % 97}" for i in range(1000))]


def make_transformer(tmp_path_factory, max_length):
    words = sorted({word.lower() for text, _ in ANNOTATED for word in text.split()})
    bert = save_bert(tmp_path_factory.mktemp("bert"), [*words, "x", "##x", "(", "pain"])
    nlp = load_small_pipeline(bert, max_length, max_length)
    docs = gold_docs(nlp.vocab)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    return nlp


@pytest.mark.parametrize("name", ["cnn", "transformer"])
def test_odd_texts(name, tmp_path_factory):
    if name == "cnn":
        nlp = trained_pipeline()
    else:
        nlp = make_transformer(tmp_path_factory, 12)
        # the network is untrained, but finds some entities
        pipe = nlp.get_pipe("gapdner")
        pipe.cfg |= {"threshold": 0.15, "max_paths": 100}
        torch.nn.init.zeros_(network_of(pipe.model).classifier.bias)
    texts = [text for odd in TEXTS for text in (ASPIRIN, odd)]
    expected = [(e.label_, e.text) for e in get_entities(nlp(ASPIRIN))]
    assert expected
    for text, doc in zip(texts, predict(nlp, texts), strict=True):
        assert doc.text == text
        # odd texts do not change the entities of other texts in the batch
        assert text != ASPIRIN or [(e.label_, e.text) for e in get_entities(doc)] == expected
        for entity in get_entities(doc):
            check_entity(doc, entity.to_entity())


def test_warning_about_too_many_word_pieces(tmp_path_factory):
    nlp = make_transformer(tmp_path_factory, 100)
    short = " ".join(["pain"] * (N_POSITIONS - 2))
    with pytest.warns(UserWarning, match=f"more than {N_POSITIONS} word pieces.*max_length"):
        doc = nlp(f"{short} {short}")
    vectors = doc._.trf_data.model_output.last_hidden_state
    assert vectors.shape[1] == N_POSITIONS
