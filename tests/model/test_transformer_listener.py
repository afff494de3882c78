"""Comparison with the listener of spacy-transformers, on a tiny random BERT."""

import string

import numpy as np
import pytest
import spacy
from numpy.testing import assert_allclose
from spacy.tokens import Doc
from spacy_transformers.layers import TransformerListener, trfs2arrays
from thinc.api import reduce_mean
from tiny_transformer import save_bert

from spacy_gapdner.grid.segments import make_segment_spans
from spacy_gapdner.model.pooling import reduce_max_v1
from spacy_gapdner.model.transformer_data import DocTransformerData
from spacy_gapdner.model.transformer_listener import build_transformer_listener_v1

NLP = spacy.blank("en")
LISTENERS = ("spacy-gapdner.TransformerListener.v1", "spacy-transformers.TransformerListener.v1")
MODELS = ("spacy-gapdner.TransformerModel.v1", "spacy-transformers.TransformerModel.v3")
# documents without tokens and without word pieces, and one with several spans
TEXTS = ["", "no fever", " \n ", "ab cd. " * 20, "", "pain"]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    pieces = [*string.ascii_lowercase, ".", *(f"##{letter}" for letter in string.ascii_lowercase)]
    return save_bert(tmp_path_factory.mktemp("bert"), pieces)


def run_model(name, bert, docs):
    model = spacy.registry.architectures.get(name)(str(bert), make_segment_spans(24, 16))
    model.initialize(X=[Doc(NLP.vocab, words=["hello"])])
    batch, _ = model.begin_update(docs)
    return batch.doc_data


def pool(listener, outputs, docs, is_train=True):
    """The vectors, and the gradients that the transformer receives."""
    received = []
    layer = listener.get_ref("listener")
    layer.receive(layer.get_batch_id(docs), outputs, received.extend)
    vectors, backprop = listener(docs, is_train)
    random = np.random.default_rng(0)
    backprop([random.normal(size=array.shape).astype("float32") for array in vectors])
    return vectors, [gradient.tensors[0] for gradient in received]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pooling", [reduce_max_v1, reduce_mean])
def test_agrees_with_spacy_transformers(model, pooling, bert):
    texts = TEXTS if pooling is reduce_max_v1 else [text for text in TEXTS if text.strip()]
    docs = [NLP.make_doc(text) for text in texts]
    outputs = run_model(model, bert, docs)
    found = [
        pool(spacy.registry.architectures.get(name)(pooling(), grad_factor=0.5), outputs, docs)
        for name in LISTENERS
    ]
    for ours, theirs in zip(*found, strict=True):
        for array, other in zip(ours, theirs, strict=True):
            assert len(array) == len(other)
            if len(other):
                assert_allclose(array, other, rtol=0, atol=1e-6)
    assert sum(len(array) for array in found[0][0]) == sum(map(len, docs))


def test_only_documents_without_tokens(bert):
    docs = [NLP.make_doc("")] * 2
    vectors, gradients = pool(build_transformer_listener_v1(reduce_max_v1()), [], docs)
    assert (vectors, gradients) == ([], [])
    for name in MODELS:
        outputs = run_model(name, bert, [*docs, NLP.make_doc("a")])[:2]
        vectors, gradients = pool(build_transformer_listener_v1(reduce_max_v1()), outputs, docs)
        assert ([len(array) for array in vectors], gradients) == ([0, 0], [])


def test_batch_id_is_that_of_spacy_transformers():
    docs = [NLP.make_doc(text) for text in TEXTS]
    listener = build_transformer_listener_v1(reduce_max_v1()).get_ref("listener")
    assert listener.get_batch_id(docs) == TransformerListener.get_batch_id(docs)
    listener.receive(listener.get_batch_id(docs), [], None)
    with pytest.raises(ValueError, match="Mismatched IDs"):
        listener.verify_inputs(docs[1:3])


def test_strings_of_word_pieces_are_made_on_request(bert, monkeypatch):
    (data,) = run_model(MODELS[0], bert, [NLP.make_doc("no fever")])
    assert isinstance(data, DocTransformerData)
    assert "wordpieces" not in vars(data)
    assert data.wordpieces.strings[0][:3] == ["[CLS]", "n", "##o"]
    # a Doc with word pieces can be saved
    assert type(data)(data.pieces, data.hidden, data.align, data.tokenizer).to_bytes() == (
        data.to_bytes()
    )
    vectors, _ = trfs2arrays(reduce_max_v1(), 1.0)([data], False)
    assert vectors[0].shape[0] == 2
