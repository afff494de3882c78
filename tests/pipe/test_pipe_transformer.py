"""The pipe on a transformer: a tiny, random BERT through `configs/gapdner_trf.cfg`."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam
from tiny_pipeline import CORPUS, expected, found, make_doc, make_examples
from tiny_transformer import WIDTH, save_bert

from spacy_gapdner import Entity, merge_docs, set_entities
from spacy_gapdner.model.transformer import BatchingTransformerModel

OURS, THEIRS = "spacy-gapdner.TransformerModel.v1", "spacy-transformers.TransformerModel.v3"
CONFIG = Path(__file__).parents[2] / "configs" / "gapdner_trf.cfg"


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    words = sorted({word for text, _ in CORPUS for word in text.split()} - {"ibuprofen"})
    pieces = [*words, "ibu", "##pro", "##fen"]
    return save_bert(tmp_path_factory.mktemp("bert"), pieces)


def load_config(bert):
    model = "components.gapdner.model."
    overrides = {
        "vars.transformer": str(bert),
        **{f"{model}{name}_width": WIDTH for name in ("hidden", "boundary", "grid", "attention")},
        **{f"{model}{name}_dropout": 0.0 for name in ("word", "boundary", "grid")},
        "components.gapdner.max_length": 12,
        "components.gapdner.stride": 9,
    }
    return spacy.util.load_config(CONFIG, overrides=overrides, interpolate=True)


def make_nlp(config):
    spacy.util.fix_random_seed(0)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


@pytest.fixture
def nlp(bert):
    return make_nlp(load_config(bert))


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def step(nlp, examples, optimizer):
    """As `spacy train` does it: first the gradients of all pipes, then their updates."""
    losses = nlp.update(examples, sgd=False, annotates=["sentencizer"])
    for _, pipe in nlp.pipeline:
        if hasattr(pipe, "finish_update"):
            pipe.finish_update(optimizer)
    return losses["gapdner"]


def find_transformer(nlp):
    nodes = (
        node for _, pipe in nlp.pipeline if hasattr(pipe, "model") for node in pipe.model.walk()
    )
    return next(node for node in nodes if isinstance(node, BatchingTransformerModel)).transformer


def copy_weights(network):
    return {name: p.detach().numpy().copy() for name, p in network.named_parameters()}


def transformer_weights(nlp):
    return copy_weights(find_transformer(nlp))


def head_weights(nlp):
    return copy_weights(nlp.get_pipe("gapdner").model.get_ref("grid").layers[0].shims[0]._model)


def annotate(nlp, text):
    return nlp(make_doc(nlp, text))


def test_trains_predicts_and_is_saved(nlp, bert, tmp_path):
    optimizer = Adam(0.001, L2=0.0, use_averages=False)
    losses = [step(nlp, make_examples(nlp), optimizer) for _ in range(40)]
    assert losses[-1] < losses[0] / 10
    for text, entities in CORPUS:
        assert found(annotate(nlp, text)) == expected(entities)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text, _ in CORPUS:
        doc, other = annotate(nlp, text), annotate(loaded, text)
        assert found(doc) == found(other)
        assert [e.score for e in doc._.discontinuous_ents] == [
            e.score for e in other._.discontinuous_ents
        ]


@pytest.mark.parametrize("replaced", [False, True])
def test_the_two_parts_have_learning_rates_of_their_own(nlp, replaced):
    if replaced:
        nlp.replace_listeners("transformer", "gapdner", ["model.tok2vec"])
        nlp.remove_pipe("transformer")
    before = transformer_weights(nlp), head_weights(nlp)
    step(nlp, make_examples(nlp), Adam(1e-4, L2=0.0, use_averages=False))
    after = transformer_weights(nlp), head_weights(nlp)
    changes = [
        max(np.abs(new[name] - old[name]).max() for name in old)
        for old, new in zip(before, after, strict=True)
    ]
    # the first step of Adam moves a weight by the learning rate; lr_scale is 10
    assert changes == pytest.approx([1e-4, 1e-3], rel=0.02)


def make_spaced(nlp):
    # white space has no word pieces, and a word outside of the vocabulary one: [UNK]
    words, spaces = [" ", "no", "\t", "fever", "漢"], [False, True, True, True, True]
    reference = Doc(nlp.vocab, words=words, spaces=spaces)
    set_entities(reference, [Entity.from_tokens("SYMPTOM", [1, 3])])
    return Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)


def test_words_without_word_pieces(nlp):
    optimizer = Adam(0.001, L2=0.0, use_averages=False)
    blank = Example(Doc(nlp.vocab, words=["\t", " "]), Doc(nlp.vocab, words=["\t", " "]))
    empty = Example(Doc(nlp.vocab), Doc(nlp.vocab))
    for _ in range(30):
        examples = [make_spaced(nlp), blank, empty, *make_examples(nlp, CORPUS[:1])]
        step(nlp, examples, optimizer)
    doc = nlp(make_spaced(nlp).predicted)
    lengths = doc._.trf_data.align.lengths.tolist()
    assert lengths == [0, 1, 0, 1, 1]
    assert found(doc) == [("SYMPTOM", [1, 3])]
    # nothing but white space, also alone in its batch
    assert found(nlp(Doc(nlp.vocab, words=["\t", " "]))) == []
    assert found(nlp(Doc(nlp.vocab))) == []


def test_a_sentence_gets_the_same_scores_alone_as_in_a_document(nlp):
    """The transformer sees the segments that the grid is made of."""
    optimizer = Adam(0.001, L2=0.0, use_averages=False)
    corpus = CORPUS[:2]
    for _ in range(40):
        step(nlp, make_examples(nlp, corpus), optimizer)
    alone = [annotate(nlp, text) for text, _ in corpus]
    together = merge_docs([make_doc(nlp, text) for text, _ in corpus])
    n = len(alone[0])
    together = Doc(
        nlp.vocab,
        words=[token.text for token in together],
        sent_starts=[i in (0, n) for i in range(len(together))],
    )
    doc = nlp(together)
    assert len(doc._.trf_data.model_output.pooler_output) == 2
    assert found(doc) == [
        *found(alone[0]),
        *((label, [i + n for i in tokens]) for label, tokens in found(alone[1])),
    ]
    assert len(found(doc)) == 7
    scores = [e.score for d in alone for e in d._.discontinuous_ents]
    assert [e.score for e in doc._.discontinuous_ents] == pytest.approx(scores, abs=1e-5)


def test_a_document_longer_than_the_transformer_bears(nlp):
    """Windows of 12 tokens, while BERT has 64 positions."""
    words = ["ibuprofen", "pain"] * 150
    doc = nlp(Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(300)]))
    # the last window begins at 32 * 9 and holds 12 tokens, as the rest do
    assert len(doc._.trf_data.model_output.pooler_output) == 33
    assert (np.array(doc._.trf_data.align.lengths) > 0).all()


def load_config_of_theirs(bert):
    """The config with the transformer of spacy-transformers in place of ours."""
    config = load_config(bert)
    model = config["components"]["transformer"]["model"]
    assert model["@architectures"] == OURS
    model["@architectures"] = THEIRS
    return config


def results(docs):
    return [(found(doc), [e.score for e in doc._.discontinuous_ents]) for doc in docs]


def assert_same_results(docs, others):
    for (entities, scores), (other, other_scores) in zip(
        results(docs), results(others), strict=True
    ):
        assert entities == other
        assert scores == pytest.approx(other_scores, abs=1e-4)


def test_it_learns_as_with_the_transformer_of_spacy_transformers(nlp, bert):
    losses = []
    for one in (nlp, make_nlp(load_config_of_theirs(bert))):
        optimizer = Adam(0.001, L2=0.0, use_averages=False)
        losses.append([step(one, make_examples(one), optimizer) for _ in range(20)])
    ours, theirs = losses
    assert ours == pytest.approx(theirs, rel=1e-3)
    assert ours[-1] < ours[0] / 2


def train(nlp, steps=40):
    optimizer = Adam(0.001, L2=0.0, use_averages=False)
    for _ in range(steps):
        step(nlp, make_examples(nlp), optimizer)
    return [make_doc(nlp, text) for text, _ in CORPUS]


def test_a_pipeline_of_spacy_transformers_changes_by_the_name_in_its_config(bert, tmp_path):
    nlp = make_nlp(load_config_of_theirs(bert))
    docs = [nlp(doc) for doc in train(nlp)]
    assert any(found(doc) for doc in docs)
    nlp.to_disk(tmp_path)
    path = tmp_path / "config.cfg"
    path.write_text(path.read_text(encoding="utf8").replace(THEIRS, OURS), encoding="utf8")
    loaded = spacy.load(tmp_path)
    assert_same_results([annotate(loaded, text) for text, _ in CORPUS], docs)
    assert loaded("fever")._.trf_data.wordpieces.strings == [["[CLS]", "fever", "[SEP]"]]


def test_bytes_and_processes(nlp, bert):
    docs = train(nlp)
    data = nlp.to_bytes()
    other = spacy.util.load_model_from_config(load_config(bert), auto_fill=True).from_bytes(data)
    texts = [text for text, _ in CORPUS] * 2
    one, two = (list(other.pipe(texts, batch_size=3, n_process=n)) for n in (1, 2))
    assert any(found(doc) for doc in one)
    assert_same_results(one, two)
    assert_same_results([nlp(doc) for doc in docs], one[: len(docs)])


def test_a_frozen_transformer_annotates(nlp):
    before = transformer_weights(nlp)
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.001
    losses = [
        nlp.update(
            make_examples(nlp),
            sgd=optimizer,
            exclude=["transformer"],
            annotates=["sentencizer", "transformer"],
        )["gapdner"]
        for _ in range(20)
    ]
    assert losses[-1] < losses[0] / 2
    after = transformer_weights(nlp)
    assert all((before[name] == after[name]).all() for name in before)


def test_a_listener_is_replaced_by_a_transformer_of_its_own(nlp, tmp_path):
    docs = [nlp(doc) for doc in train(nlp)]
    nlp.replace_listeners("transformer", "gapdner", ["model.tok2vec"])
    nlp.remove_pipe("transformer")
    assert_same_results([annotate(nlp, text) for text, _ in CORPUS], docs)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert_same_results([annotate(loaded, text) for text, _ in CORPUS], docs)


def test_a_transformer_that_has_not_run_is_told(nlp):
    texts = ["severe pain", "", "mild pain"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        list(nlp.pipe(texts))
    message = "'gapdner' sees zeros in place of 2 of 3 documents"
    with nlp.select_pipes(disable="transformer"), pytest.warns(UserWarning, match=message):
        list(nlp.pipe(texts))


@pytest.mark.parametrize("replaced", [False, True])
def test_updates_keep_the_weights_where_they_are(nlp, replaced):
    # else each would hold on to all that were there before
    if replaced:
        nlp.replace_listeners("transformer", "gapdner", ["model.tok2vec"])
        nlp.remove_pipe("transformer")

    def weights():
        return [weights.data for weights in find_transformer(nlp).parameters()]

    def place():
        step(nlp, make_examples(nlp), Adam(0.01))
        return [tensor.untyped_storage()._cdata for tensor in weights()]

    before = [tensor.numpy().copy() for tensor in weights()]
    assert place() == place()
    pairs = zip(before, weights(), strict=True)
    assert any(not np.array_equal(old, new.numpy()) for old, new in pairs)


def test_averages_take_the_place_of_the_transformer_s_weights_for_a_time(nlp):
    optimizer = Adam(0.01, use_averages=True)
    for _ in range(2):
        step(nlp, make_examples(nlp), optimizer)
    before = transformer_weights(nlp)
    with nlp.use_params(optimizer.averages):
        averages = transformer_weights(nlp)
    after = transformer_weights(nlp)
    assert any((before[name] != averages[name]).any() for name in before)
    assert all((before[name] == after[name]).all() for name in before)
