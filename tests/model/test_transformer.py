"""Comparison with the transformer of spacy-transformers, on a tiny random BERT."""

import string
from io import BytesIO
from itertools import chain as flatten

import numpy as np
import pytest
import spacy
import srsly
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from spacy.tokens import Doc
from spacy_transformers.layers import split_trf_batch, trfs2arrays
from thinc.api import chain
from tiny_transformer import WIDTH, save_bert

from spacy_gapdner.grid.segments import make_segment_spans
from spacy_gapdner.model import transformer
from spacy_gapdner.model.pooling import reduce_max_v1
from spacy_gapdner.model.transformer import build_transformer_model_v1, get_transformer_shim

# some texts are truncated with a warning
pytestmark = pytest.mark.filterwarnings("ignore:Segments with more than")
NLP = spacy.blank("en")
OURS, THEIRS = "spacy-gapdner.TransformerModel.v1", "spacy-transformers.TransformerModel.v3"
ODD_CHARACTERS = "abno pain\n\t.\u0301\u200d\u6f22\U0001f912\x00\u00ad"
ANY_TEXT = st.text(st.sampled_from(ODD_CHARACTERS), max_size=60) | st.text(max_size=30)
ODD_TEXTS = [
    "no fever",
    # combining characters: the tokenizer drops the accents
    "e\u0301te\u0301 nau\u0308sea",
    "\U0001f912 pain \U0001f468\u200d\U0001f469\u200d\U0001f467",
    # whitespace, and characters without any piece
    " \n\n\t",
    "a\u00adb \u200b c\x00d",
    "",
    "\u6f22\u5b57x \ufb01ne \u0130 \u1e9e",
    "[CLS] [PAD] x",
    "x." * 100,
    "ab cd. " * 40,
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    letters = [*string.ascii_lowercase, *".[]\u6f22"]
    pieces = [*letters, *(f"##{letter}" for letter in letters), "pain", "##ver", "no"]
    return save_bert(tmp_path_factory.mktemp("bert"), pieces, n_layers=2)


def make_model(name, bert, **settings):
    build = spacy.registry.get("architectures", name)
    model = build(str(bert), make_segment_spans(24, 16), **settings)
    model.initialize(X=[Doc(NLP.vocab, words=["hello"])])
    return model


@pytest.fixture
def models(bert, monkeypatch):
    """Ours with very small batches, and that of spacy-transformers, with equal weights."""
    monkeypatch.setattr(transformer, "_choose_limits", lambda network, is_train: (50, 6))
    return [make_model(name, bert) for name in (OURS, THEIRS)]


@pytest.fixture(scope="module")
def shared_models(bert):
    """The same for hypothesis, with the default limits."""
    return [make_model(name, bert) for name in (OURS, THEIRS)]


def make_docs(texts):
    return [NLP.make_doc(text) for text in texts]


def pieces_of(data, name):
    """The `strings` or `input_ids` of each token, in the order of the alignment."""
    values = getattr(data.wordpieces, name)
    values = list(flatten.from_iterable(values)) if name == "strings" else values.ravel()
    cuts = np.cumsum(data.align.lengths)[:-1]
    return [[values[i] for i in indices] for indices in np.split(data.align.dataXd, cuts)]


def rows_of(data):
    hidden = data.model_output.last_hidden_state
    return hidden.reshape(-1, WIDTH)[data.align.dataXd]


def assert_same_batch(models, docs):
    found = [model.predict(docs).doc_data for model in models]
    assert len(found[0]) == len(docs)
    for ours, theirs in zip(*found, strict=True):
        assert_array_equal(ours.align.lengths, theirs.align.lengths)
        for name in ("strings", "input_ids"):
            assert pieces_of(ours, name) == pieces_of(theirs, name)
        if len(theirs.align.dataXd):
            assert_allclose(rows_of(ours), rows_of(theirs), atol=1e-5)


@settings(max_examples=15)
@example(texts=ODD_TEXTS)
@given(texts=st.lists(ANY_TEXT, min_size=1, max_size=6).filter(any))
def test_vectors_match_spacy_transformers(shared_models, texts):
    # a piece across tokens ("##ver", "pain"), and spaces that the text does not have
    odd = Doc(NLP.vocab, words=["f", "ev", "er", "p", "ai", "n"], spaces=[False] * 6)
    assert_same_batch(shared_models, [*make_docs(texts), odd])


def test_document_has_a_row_for_each_span(models):
    doc = NLP.make_doc("ab cd. " * 20)
    ours, theirs = (model.predict([doc]).doc_data[0] for model in models)
    assert len(theirs.wordpieces.strings) == 4
    for name in ("strings", "lengths", "input_ids", "attention_mask", "token_type_ids"):
        assert_array_equal(getattr(ours.wordpieces, name), getattr(theirs.wordpieces, name))
    assert_array_equal(ours.align.dataXd, theirs.align.dataXd)
    hidden, other = (data.model_output.last_hidden_state for data in (ours, theirs))
    assert hidden.shape == other.shape
    mask = theirs.wordpieces.attention_mask > 0
    assert_allclose(hidden[mask], other[mask], atol=1e-5)
    assert not hidden[~mask].any()


@pytest.mark.parametrize(("mixed_precision", "atol"), [(False, 1e-5), (True, 0.05)])
def test_gradients_match_one_padded_batch(models, mixed_precision, atol):
    get_transformer_shim(models[0]).mixed_precision = mixed_precision
    words = [f"{letter}{other}" for letter in "abcdefgh" for other in "stuvwxyz"]
    docs = [Doc(NLP.vocab, words=words[:n]) for n in range(0, 65, 3)]
    # documents without tokens and without pieces in between
    docs += [Doc(NLP.vocab, words=part) for part in (["\n"], words[30:], [], words[40:44])]
    found = []
    for model in models:
        pool = chain(model, split_trf_batch(), trfs2arrays(reduce_max_v1(), 1.0))
        vectors, backprop = pool(docs, is_train=True)
        generator = np.random.default_rng(0)
        backprop([generator.normal(size=array.shape).astype("f") for array in vectors])
        network = model.layers[0].shims[0]._model
        vectors = np.concatenate([array for array in vectors if len(array)])
        found.append((vectors, dict(network.named_parameters())))
    (vectors, ours), (other_vectors, theirs) = found
    assert_allclose(vectors, other_vectors, atol=atol)
    assert mixed_precision == (not np.allclose(vectors, other_vectors, atol=1e-5))
    for name, other in theirs.items():
        if other.grad is not None:
            scale = max(1.0, float(other.grad.abs().max()))
            assert_allclose(ours[name].grad / scale, other.grad / scale, atol=atol, err_msg=name)


def test_batches_contain_similar_lengths(models, monkeypatch):
    shapes = []
    network = get_transformer_shim(models[0]).network
    run = network.forward

    def forward(**inputs):
        shapes.append(tuple(inputs["input_ids"].shape))
        return run(**inputs)

    monkeypatch.setattr(network, "forward", forward)
    docs = [Doc(NLP.vocab, words=["a"] * n) for n in (3, 22, 1, 4, 21, 3, 2)]
    found = models[0].predict(docs).doc_data
    # two special pieces each; 2 * 24 = 48 of at most 50; padding 3, 4 and 5 pieces to 6 adds 6
    assert shapes == [(2, 24), (4, 6), (1, 3)]
    # rows are as long as the longest span of their document
    rows = [data.model_output.last_hidden_state.shape for data in found[:3]]
    assert rows == [(1, n, WIDTH) for n in (5, 24, 3)]


def test_pieces_without_offsets_are_aligned_by_text(bert):
    slow = {"use_fast": False}
    models = [make_model(name, bert, tokenizer_config=slow) for name in (OURS, THEIRS)]
    # the later spans of a document have more pieces
    longer = "a b. " * 10 + "ab cd " * 20
    assert_same_batch(models, make_docs(["no fever", longer, "e\u0301te\u0301 \u6f22"]))


def test_unsupported_settings_are_refused(bert):
    with pytest.raises(ValueError, match="does not support output_attentions"):
        make_model(OURS, bert, transformer_config={"output_attentions": True})
    for name in ("transformer_config", "tokenizer_config"):
        with pytest.raises(ValueError, match="does not support trust_remote_code"):
            make_model(OURS, bert, **{name: {"trust_remote_code": True}})
    with pytest.raises(ValueError, match="does not support grad_scaler_config"):
        make_model(OURS, bert, grad_scaler_config={"enabled": True})


def test_weights_of_spacy_transformers_are_loaded(models, bert):
    ours, theirs = models
    for weights in theirs.transformer.parameters():
        weights.data += 0.1
    loaded = build_transformer_model_v1("not read", make_segment_spans(24, 16))
    loaded.from_bytes(theirs.to_bytes())
    assert_same_batch((loaded, theirs), make_docs(ODD_TEXTS))
    theirs.from_bytes(ours.to_bytes())
    assert_same_batch((ours, theirs), make_docs(ODD_TEXTS))


def test_weights_of_another_version_of_transformers(bert):
    """Older versions also saved the positions."""
    model = make_model(OURS, bert)
    shim = get_transformer_shim(model)
    state = {**shim.network.state_dict(), "embeddings.position_ids": torch.arange(64)}
    content = BytesIO()
    torch.save(state, content)
    message = srsly.msgpack_loads(shim.to_bytes())
    loaded = build_transformer_model_v1("not read", make_segment_spans(24, 16))
    with pytest.warns(UserWarning, match=r"differ: embeddings\.position_ids"):
        get_transformer_shim(loaded).from_bytes(
            srsly.msgpack_dumps({**message, "state": content.getvalue()})
        )
    docs = make_docs(["no fever"])
    (ours,), (other,) = (part.predict(docs).doc_data for part in (loaded, model))
    assert_array_equal(rows_of(ours), rows_of(other))
