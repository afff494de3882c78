"""The pipe with a transformer: a tiny, random BERT in `configs/gapdner_trf.cfg`."""

import warnings

import pytest
import spacy
from grid_models import network_of
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam
from tiny_pipeline import CORPUS, annotate, found, make_examples
from tiny_transformer import load_small_pipeline, save_bert

from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.model.transformer_shim import TransformerShim


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    words = sorted({word for text, _ in CORPUS for word in text.split()} - {"ibuprofen"})
    return save_bert(tmp_path_factory.mktemp("bert"), [*words, "ibu", "##pro", "##fen"])


def make_nlp(bert):
    nlp = load_small_pipeline(bert)
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def step(nlp, examples, optimizer):
    """Train as `spacy train` does: first the gradients of all pipes, then their updates."""
    losses = nlp.update(examples, sgd=False, annotates=["sentencizer"])
    for _, pipe in nlp.pipeline:
        if hasattr(pipe, "finish_update"):
            pipe.finish_update(optimizer)
    return losses["gapdner"]


@pytest.fixture
def nlp(bert):
    return make_nlp(bert)


@pytest.fixture(scope="module")
def trained(bert):
    """A pipeline that has memorized CORPUS. Tests must not change it."""
    nlp = make_nlp(bert)
    optimizer = Adam(0.001, L2=0.0)
    for _ in range(80):
        step(nlp, make_examples(nlp), optimizer)
    return nlp


def replace_listener(nlp):
    nlp.replace_listeners("transformer", "gapdner", ["model.tok2vec"])
    nlp.remove_pipe("transformer")


def find_transformer(nlp):
    pipe = nlp.get_pipe("transformer" if "transformer" in nlp.pipe_names else "gapdner")
    nodes = pipe.model.walk()
    shims = (shim for node in nodes for shim in node.shims)
    return next(shim for shim in shims if isinstance(shim, TransformerShim)).network


def annotate_all(nlp):
    return [annotate(nlp, text) for text, _ in CORPUS]


def scores(doc):
    return [e.score for e in doc._.discontinuous_ents]


def assert_same_results(docs, others, tolerance=1e-4):
    assert any(found(doc) for doc in docs)
    for doc, other in zip(docs, others, strict=True):
        assert found(doc) == found(other)
        assert scores(doc) == pytest.approx(scores(other), abs=tolerance)


def test_training_and_saving(trained, bert, tmp_path):
    nlp, docs = trained, annotate_all(trained)
    assert [found(doc) for doc in docs] == [entities for _, entities in CORPUS]
    nlp.to_disk(tmp_path)
    restored = load_small_pipeline(bert).from_bytes(nlp.to_bytes())
    for other in (spacy.load(tmp_path), restored):
        assert_same_results(annotate_all(other), docs, 0)
    # a listener is replaced by a separate transformer
    replace_listener(restored)
    assert_same_results(annotate_all(restored), docs)
    restored.to_disk(tmp_path / "replaced")
    loaded = spacy.load(tmp_path / "replaced")
    assert_same_results(annotate_all(loaded), docs)
    # with our shim
    assert find_transformer(loaded) is not None


@pytest.mark.parametrize("replaced", [False, True])
def test_both_parts_have_their_own_learning_rates(nlp, replaced):
    if replaced:
        replace_listener(nlp)

    networks = find_transformer(nlp), network_of(nlp.get_pipe("gapdner").model)
    parts = [list(network.parameters()) for network in networks]
    before = [[weights.detach().clone() for weights in part] for part in parts]
    places = [weights.untyped_storage()._cdata for part in parts for weights in part]
    step(nlp, make_examples(nlp), Adam(1e-4, L2=0.0))
    changes = [
        max((new.detach() - old).abs().max().item() for old, new in zip(*pair, strict=True))
        for pair in zip(before, parts, strict=True)
    ]
    # the first step of Adam moves a weight by the learning rate; lr_scale is 40
    assert changes == pytest.approx([1e-4, 4e-3], rel=0.02)
    # weights are updated in place, otherwise each update would keep the previous ones in memory
    assert [weights.untyped_storage()._cdata for part in parts for weights in part] == places


def test_words_without_word_pieces(nlp):
    # whitespace has no word pieces, and an unknown word has one: [UNK]
    words, spaces = [" ", "no", "\t", "fever", "漢"], [False, True, True, True, True]

    def make_docs():
        kinds = [(words, spaces), (["\t", " "], None), ([], None)]
        return [Doc(nlp.vocab, words=words, spaces=spaces) for words, spaces in kinds]

    references, optimizer = make_docs(), Adam(0.001, L2=0.0)
    set_entities(references[0], [Entity.from_tokens("SYMPTOM", [1, 3])])
    for _ in range(30):
        examples = list(map(Example, make_docs(), references))
        step(nlp, [*examples, *make_examples(nlp, CORPUS[:1])], optimizer)
    # also in a batch with a single document
    doc, *others = map(nlp, make_docs())
    assert doc._.trf_data.align.lengths.tolist() == [0, 1, 0, 1, 1]
    assert [found(doc), *map(found, others)] == [[("SYMPTOM", [1, 3])], [], []]


def test_sentence_has_the_same_scores_in_a_document(trained):
    """The transformer processes the same segments as the grid."""
    texts = [text for text, _ in CORPUS[:2]]
    alone = [annotate(trained, text) for text in texts]
    n = len(alone[0])
    words = " ".join(texts).split()
    starts = [i in (0, n) for i in range(len(words))]
    doc = trained(Doc(trained.vocab, words=words, sent_starts=starts))
    assert len(doc._.trf_data.model_output.last_hidden_state) == 2
    second = [(label, [i + n for i in tokens]) for label, tokens in found(alone[1])]
    assert found(doc) == found(alone[0]) + second
    assert scores(doc) == pytest.approx([s for d in alone for s in scores(d)], abs=1e-5)


def test_transformer_that_has_not_run_is_reported(trained):
    texts = ["severe pain", "", "mild pain"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        list(trained.pipe(texts))
    message = "'gapdner' has no word vectors for 2 of 3 documents"
    with trained.select_pipes(disable="transformer"), pytest.warns(UserWarning, match=message):
        list(trained.pipe(texts))


def test_tokens_merged_after_the_transformer_are_an_error(trained):
    doc = trained.get_pipe("transformer")(trained.make_doc("severe joint pain"))
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    with pytest.raises(GapDNERError, match="2 tokens, but vectors of 3 tokens"):
        trained.get_pipe("gapdner")(doc)
