import pytest
import spacy
from benchmark_pipelines import ENCODERS, TEXTS, make_pipeline
from tiny_pipeline import CORPUS
from tiny_transformer import WIDTH, save_bert

from spacy_gapdner.model.exchange import BERT_SIZES, exchange_encoder

TRANSFORMERS = [name for name in ENCODERS if not name.startswith("tok2vec")]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    words = sorted({word for text, _ in CORPUS for word in text.split()})
    return save_bert(tmp_path_factory.mktemp("bert"), words)


@pytest.fixture(params=TRANSFORMERS)
def nlp(request, bert):
    return make_pipeline(request.param, bert)


def network_of(nlp):
    return nlp.get_pipe("transformer").model.transformer


def test_a_random_bert(nlp):
    nlp.add_pipe("entity_ruler", before="transformer")
    nlp.add_pipe("tagger", first=True)
    new = exchange_encoder(nlp, "gapdner", random_size="tiny")
    assert new.pipe_names == ["sentencizer", "entity_ruler", "transformer", "gapdner"]
    config = network_of(new).config
    assert (config.num_hidden_layers, config.hidden_size, config.intermediate_size) == (2, 128, 512)
    assert config.num_attention_heads == 2
    old, pipe = nlp.get_pipe("gapdner"), new.get_pipe("gapdner")
    assert pipe.labels == old.labels
    assert pipe.max_length == old.max_length
    assert pipe.model.get_ref("grid").get_dim("nI") == 128
    # the old one still does what it did
    assert network_of(nlp).config.hidden_size == WIDTH
    assert nlp.get_pipe("gapdner").model.get_ref("grid").get_dim("nI") == WIDTH
    docs = list(new.pipe(TEXTS))
    assert [doc.text for doc in docs] == TEXTS


def test_a_saved_one(nlp, bert, tmp_path):
    words = ["fever", "aspirin"]
    other = save_bert(tmp_path, words, n_layers=3)
    new = exchange_encoder(nlp, "gapdner", encoder=str(other))
    assert network_of(new).config.num_hidden_layers == 3
    assert len(new.get_pipe("transformer").model.tokenizer) == 5 + len(words)
    assert len(list(new.pipe(TEXTS))) == len(TEXTS)


def test_it_can_be_trained(nlp):
    new = exchange_encoder(nlp, "gapdner", random_size="tiny")
    example = spacy.training.Example.from_dict(new.make_doc("fever"), {})
    assert new.update([example])["gapdner"] >= 0


def test_sizes():
    """As published: heads of 64, four times the width within a layer."""
    assert BERT_SIZES["base"] == (12, 768)
    assert all(width % 64 == 0 for _, width in BERT_SIZES.values())


@pytest.mark.parametrize("encoder", ["tok2vec", "tok2vec of its own"])
def test_no_transformer(encoder):
    nlp = make_pipeline(encoder, None)
    with pytest.raises(ValueError, match="has no transformer component"):
        exchange_encoder(nlp, "gapdner", random_size="tiny")
