import gc
import os
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam
from tiny_pipeline import (
    CORPUS,
    annotate,
    expected,
    fingerprint,
    found,
    make_doc,
    make_examples,
    make_nlp,
    model_config,
    tok2vec_config,
    train,
)

from spacy_gapdner import get_entities, merge_docs
from spacy_gapdner.analysis.pipes import changed

LOSS = "spacy-gapdner.CrossEntropy.v1"


@pytest.fixture(scope="module")
def trained():
    nlp = make_nlp()
    train(nlp, 60)
    return nlp


def weights_of(pipe):
    """Copies of all weights: those of the head by name, those of thinc layers by node."""
    head = pipe.model.get_ref("grid").layers[0].shims[0]._model
    weights = {f"head {name}": p.detach().numpy().copy() for name, p in head.named_parameters()}
    return weights | thinc_weights(pipe.model)


def thinc_weights(model):
    return {
        f"{i} {node.name} {name}": node.get_param(name).copy()
        for i, node in enumerate(model.walk())
        for name in node.param_names
    }


@pytest.mark.parametrize("normalize", ["labelled", "cells"])
def test_learns_every_kind_of_entity(normalize):
    tagging = model_config()["tagging"]
    nlp = make_nlp({"tagging": {**tagging, "loss": {"@losses": LOSS, "normalize": normalize}}})
    losses = train(nlp, 80)
    assert losses[-1] < losses[0] / 5
    for text, entities in CORPUS:
        assert found(annotate(nlp, text)) == expected(entities), text
    scores = nlp.evaluate(make_examples(nlp))
    assert (scores["spans_gapdner_f"], scores["spans_gapdner_disc_f"]) == (1.0, 1.0)


def test_paper_s_network_learns():
    plain = {"layer_norm": False, "distance_embedding": False, "triangle_mask": False}
    nlp = make_nlp({**plain, "co_predictor": False, "none_bias": 0.0}, threshold=0.0)
    train(nlp, 150)
    assert [found(annotate(nlp, text)) for text, _ in CORPUS] == [
        expected(entities) for _, entities in CORPUS
    ]


def test_batch_and_padding_change_no_entity_and_no_score(trained):
    texts = [text for text, _ in CORPUS]
    together = list(trained.pipe([make_doc(trained, text) for text in ["", *texts]]))[1:]
    for doc, text in zip(together, texts, strict=True):
        alone = annotate(trained, text)
        assert found(doc) == found(alone)
        assert [e.score for e in get_entities(doc)] == pytest.approx(
            [e.score for e in get_entities(alone)], abs=1e-5
        )


def test_a_document_of_twenty_thousand_tokens(trained):
    text, entities = CORPUS[0]
    sentence = make_doc(trained, text)
    n, n_sentences = len(sentence), 2300
    starts = [i % n == 0 for i in range(n * 3)]
    few = Doc(trained.vocab, words=text.split() * 3, sent_starts=starts)
    many = Doc(trained.vocab, words=text.split() * n_sentences, sent_starts=None)
    assert len(many) > 20_000
    # windows instead of sentences: one window per sentence
    with changed(trained.get_pipe("gapdner"), max_length=n, stride=n):
        found_few, found_many = found(trained(few)), found(trained(many))
    inner = [(label, np.array(tokens) - n) for label, tokens in found_few if n <= tokens[0] < 2 * n]
    assert len(inner) == len(entities)
    inner_of_many = [e for e in found_many if n <= e[1][0] < n * (n_sentences - 1)]
    assert inner_of_many == [
        (label, (tokens + n * i).tolist())
        for i in range(1, n_sentences - 1)
        for label, tokens in inner
    ]


@pytest.mark.parametrize("sent_starts", [None, [True, False, True, *[False] * 6]])
def test_entities_that_no_segment_holds_are_told_once(sent_starts):
    nlp = make_nlp(**({} if sent_starts else {"max_length": 7, "stride": 7}))
    text, entities = CORPUS[0]
    predicted = make_doc(nlp, text, sent_starts=sent_starts)
    example = Example(predicted, make_doc(nlp, text, entities))
    with pytest.warns(UserWarning, match="3 of 3 gold entities of a document"):
        nlp.update([example])
    # the test run makes an error of every warning of ours
    nlp.update([example])


def test_learns_from_windows_of_a_long_document():
    nlp = make_nlp(max_length=9, stride=9)
    reference = merge_docs([make_doc(nlp, text, entities) for text, entities in CORPUS[:1] * 3])
    example = Example(Doc(nlp.vocab, words=[t.text for t in reference]), reference)
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    for _ in range(60):
        nlp.update([example], sgd=optimizer)
    assert found(nlp(example.predicted.copy())) == found(reference)
    assert len(found(reference)) == 9


def test_without_an_optimizer_gradients_accumulate():
    nlp = make_nlp()
    pipe, examples = nlp.get_pipe("gapdner"), make_examples(nlp)
    net = pipe.model.get_ref("grid").layers[0].shims[0]._model
    before = weights_of(pipe)
    pipe.update(examples)
    gradient = net.classifier.weight.grad.clone()
    pipe.update(examples)
    np.testing.assert_allclose(net.classifier.weight.grad, 2 * gradient, rtol=1e-4, atol=1e-6)
    after = weights_of(pipe)
    assert all(np.array_equal(after[name], before[name]) for name in before)


def test_losses_are_summed_under_the_pipe_s_name():
    nlp = make_nlp()
    pipe, examples = nlp.get_pipe("gapdner"), make_examples(nlp)
    first = pipe.update(examples)["gapdner"]
    losses = {"gapdner": 1.0, "other": 2.0}
    assert pipe.update(examples, losses=losses) is losses
    assert losses == {"gapdner": pytest.approx(1.0 + first), "other": 2.0}


def test_empty_documents_change_no_loss():
    nlp = make_nlp()
    pipe = nlp.get_pipe("gapdner")
    examples, empty = make_examples(nlp), make_examples(nlp, [("", [])])
    expected_loss = pipe.update(examples)["gapdner"]
    assert pipe.update([*empty, *examples, *empty])["gapdner"] == pytest.approx(expected_loss)
    assert pipe.update(empty) == {"gapdner": 0.0}
    assert pipe.update([]) == {"gapdner": 0.0}


def test_an_unknown_gold_label_is_refused():
    nlp = make_nlp()
    with pytest.raises(ValueError, match=r"label 'VIRUS', which 'gapdner' does not know.*BODY"):
        nlp.update(make_examples(nlp, [("a cold", [("VIRUS", [1])])]))


def test_a_loss_that_is_not_finite_is_refused():
    nlp = make_nlp()
    pipe = nlp.get_pipe("gapdner")
    pipe.model.get_ref("grid").layers[0].shims[0]._model.classifier.bias.data.fill_(np.nan)
    before = thinc_weights(pipe.model)
    with pytest.raises(ValueError, match="loss of 'gapdner' is nan: training has diverged"):
        train(nlp, 1)
    after = thinc_weights(pipe.model)
    assert all(np.array_equal(after[name], before[name]) for name in before)


def make_misaligned(nlp):
    """Tokens "no | chest-pain | or | fe ver"; gold on "chest", "no .. fever" and "or"."""
    gold = [("SYMPTOM", [1]), ("SYMPTOM", [0, 5]), ("DRUG", [4])]
    spaces = [True, False, False, True, True, False]
    reference = make_doc(nlp, "no chest - pain or fever", gold, spaces=spaces)
    predicted = Doc(
        nlp.vocab,
        words=["no", "chest-pain", "or", "fe", "ver"],
        spaces=[True, True, True, False, False],
    )
    return Example(predicted, reference)


@pytest.mark.filterwarnings("ignore:1 of 3 gold entities lie between the tokens")
def test_gold_between_the_predicted_tokens_is_masked():
    nlp = make_nlp({"triangle_mask": False})
    pipe = nlp.get_pipe("gapdner")
    example = make_misaligned(nlp)
    scores = [np.zeros((5, 5, 6), dtype="float32")]
    _, (gradient,) = pipe.get_loss([example], scores)
    # "chest" is half a predicted token: its cell takes no part; all others do
    counts = gradient.any(axis=-1)
    assert not counts[1, 1]
    assert counts.sum() == 24
    # "no" and "fe ver", whose gap covers the masked token, and "or" are learned
    frag, gap, drug, symptom = 1, 2, 4, 5
    learned = {(0, 0, frag), (1, 2, gap), (3, 4, frag), (4, 0, symptom), (2, 2, drug)}
    wanted = np.argwhere(gradient < 0).tolist()
    assert {(row, column, channel) for row, column, channel in wanted if channel} == learned


@pytest.mark.filterwarnings("ignore:1 of 3 gold entities lie between the tokens")
def test_trains_where_tokens_differ():
    nlp = make_nlp()
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    for _ in range(50):
        example = make_misaligned(nlp)
        nlp.update([example], sgd=optimizer)
    doc = nlp(make_misaligned(nlp).predicted)
    assert [e for e in found(doc) if e[1] != [1]] == [("SYMPTOM", [0, 3, 4]), ("DRUG", [2])]


def make_shared_nlp(lr_scale):
    """A tok2vec pipe and a gapdner that listens to it."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": tok2vec_config()})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24, "upstream": "tok2vec"}
    config = {"model": model_config(tok2vec=listener), "lr_scale": lr_scale}
    nlp.add_pipe("gapdner", config=config)
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def train_as_spacy_does(nlp, optimizer):
    nlp.update(make_examples(nlp), sgd=False)
    for _, pipe in nlp.pipeline:
        pipe.finish_update(optimizer)


@pytest.mark.parametrize("lr_scale", [1.0, 50.0])
@pytest.mark.parametrize("replaced", [False, True])
def test_lr_scale_applies_to_the_network_alone(lr_scale, replaced):
    nlp = make_shared_nlp(lr_scale)
    pipe, tok2vec = nlp.get_pipe("gapdner"), nlp.get_pipe("tok2vec").model
    if replaced:
        nlp.replace_listeners("tok2vec", "gapdner", ["model.tok2vec"])
        nlp.remove_pipe("tok2vec")
        tok2vec = pipe.model.get_ref("tok2vec")

    def weights():
        network = {n: w for n, w in weights_of(pipe).items() if n.startswith("head")}
        return network, thinc_weights(tok2vec)

    before = weights()
    train_as_spacy_does(nlp, Adam(1e-4, L2=0.0, use_averages=False))
    # the first step of Adam moves a weight by the learning rate
    for old, new, rate in zip(before, weights(), (1e-4 * lr_scale, 1e-4), strict=True):
        assert max(np.abs(new[name] - old[name]).max() for name in old) == pytest.approx(
            rate, rel=0.02
        )


def test_a_shared_tok2vec_learns():
    nlp = make_shared_nlp(1.0)
    optimizer = Adam(0.01, L2=0.0, use_averages=False)
    for _ in range(60):
        train_as_spacy_does(nlp, optimizer)
    for text, entities in CORPUS:
        assert found(annotate(nlp, text)) == expected(entities)


def test_a_tok2vec_that_has_not_run_is_told():
    nlp = make_shared_nlp(1.0)
    texts = ["severe pain", "", "mild pain"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        list(nlp.pipe(texts))
    message = "'gapdner' sees zeros in place of 2 of 3 documents"
    with nlp.select_pipes(disable="tok2vec"), pytest.warns(UserWarning, match=message):
        list(nlp.pipe(texts))


def test_the_seed_decides_weights_and_predictions():
    # sets of texts have another order in another process
    result = subprocess.run(
        [sys.executable, "-c", "from tiny_pipeline import fingerprint; print(*fingerprint())"],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    first, second = fingerprint(), fingerprint()
    assert first == second
    assert result.stdout.split() == list(first)
    assert fingerprint(seed=1)[0] != first[0]


def test_updates_leave_nothing_behind():
    # thinc's own give each weight a tensor over an array over the tensor before, and so on
    nlp = make_nlp()
    examples, optimizer = make_examples(nlp), nlp.create_optimizer()

    def links():
        for _ in range(5):
            nlp.update(examples, sgd=optimizer)
        gc.collect()
        taken = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*dlpack.py")])
        return sum(statistic.count for statistic in taken.statistics("filename"))

    tracemalloc.start()
    try:
        assert links() == links()
    finally:
        tracemalloc.stop()
