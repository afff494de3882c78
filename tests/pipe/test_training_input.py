"""`spacy train` and odd corpora: one clear line wherever our code is asked, and no traceback."""

import re
import warnings
import zlib

import numpy as np
import pytest
import spacy
from spacy.cli._util import app
from spacy.cli.init_config import init_config
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from tiny_pipeline import (
    ANNOTATED,
    CORPUS,
    gold_docs,
    make_doc,
    make_examples,
    make_nlp,
    model_config,
    train,
)
from typer.testing import CliRunner

from spacy_gapdner import Entity, GapDNERError, set_entities

OURS, SPACYS = "spacy-gapdner.Corpus.v1", "spacy.Corpus.v1"
BROKEN = {
    "empty": lambda whole: b"",
    "cut off": lambda whole: whole[: len(whole) // 2],
    "text": lambda whole: b"severe joint pain",
    "compressed text": lambda whole: zlib.compress(b"severe joint pain"),
    "of other keys": lambda whole: zlib.compress(b"\x81\xa1a\x01"),
}


def save(path, docs):
    DocBin(docs=docs).to_disk(path)
    return path


@pytest.fixture
def good(tmp_path):
    return save(tmp_path / "good.spacy", gold_docs(spacy.blank("en").vocab))


@pytest.fixture
def run_training(tmp_path):
    """Runs `spacy train` with these corpora for four steps."""

    def run(train_path, dev_path, *options, reader=SPACYS, initialize=None):
        nlp = spacy.blank("en")
        nlp.add_pipe("gapdner_sentencizer")
        nlp.add_pipe("gapdner", config={"model": model_config()})
        config = init_config(pipeline=["gapdner"], silent=True)
        config["nlp"]["pipeline"] = nlp.pipe_names
        config["components"] = nlp.config["components"]
        config["training"] |= {"max_steps": 4, "eval_frequency": 2}
        config["initialize"]["components"] = {"gapdner": initialize or {}}
        for part in ("train", "dev"):
            if reader == OURS:
                config["corpora"][part] = {"@readers": OURS, "path": f"${{paths.{part}}}"}
        config.to_disk(tmp_path / "config.cfg")
        paths = ["--paths.train", str(train_path), "--paths.dev", str(dev_path)]
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = CliRunner().invoke(
                app, ["train", str(tmp_path / "config.cfg"), *paths, *options]
            )
        result.warned = [str(w.message) for w in warned]
        return result

    return run


def error_line(result):
    """The one line that a run ends with."""
    assert (result.exit_code, type(result.exception)) == (1, SystemExit), result.exception
    (line,) = (line for line in result.output.splitlines() if line.startswith("Error: "))
    return line


@pytest.mark.parametrize("reader", [OURS, SPACYS])
def test_a_good_corpus_trains(run_training, good, reader):
    result = run_training(good, good, reader=reader)
    assert result.exit_code == 0, result.output
    assert not any("gapdner" in message for message in result.warned)


@pytest.mark.parametrize("reader", [OURS, SPACYS])
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_training_corpus(run_training, good, tmp_path, reader, how):
    path = tmp_path / "broken.spacy"
    path.write_bytes(BROKEN[how](good.read_bytes()))
    line = error_line(run_training(path, good, reader=reader))
    assert ("is not a .spacy file" if reader == OURS else "corpus cannot be read") in line


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_development_corpus(run_training, good, tmp_path, how):
    # spaCy reads it at the first evaluation, where our code has no part in its own reader
    path = tmp_path / "broken.spacy"
    path.write_bytes(BROKEN[how](good.read_bytes()))
    assert "is not a .spacy file" in error_line(run_training(good, path, reader=OURS))


@pytest.mark.parametrize(
    ("reader", "message"), [(OURS, "There is nothing at"), (SPACYS, "cannot be read")]
)
def test_a_missing_training_corpus(run_training, good, tmp_path, reader, message):
    assert message in error_line(run_training(tmp_path / "x.spacy", good, reader=reader))


@pytest.mark.parametrize("name", ["x.spacy", "folder", "foreign.bin"])
def test_a_development_corpus_that_cannot_be_one_is_refused_at_once(
    run_training, good, tmp_path, name
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "foreign.bin").write_bytes(b"\0\1\2")
    result = run_training(good, tmp_path / name, reader=OURS)
    assert str(tmp_path / name) in error_line(result)
    assert "Training pipeline" not in result.output


@pytest.mark.parametrize("reader", [OURS, SPACYS])
@pytest.mark.parametrize(
    ("docs", "message"),
    [
        ([], "training corpus holds no document"),
        ([("No complaints .", [])], "No document has an entity under the spans_key 'gapdner'"),
    ],
)
def test_a_training_corpus_without_anything(run_training, good, tmp_path, reader, docs, message):
    path = save(tmp_path / "a.spacy", gold_docs(spacy.blank("en").vocab, docs))
    assert message in error_line(run_training(path, good, reader=reader))


@pytest.mark.parametrize(
    ("docs", "message"),
    [
        ([], "no gold entity to score 'gapdner' against"),
        ([("No complaints .", [])], "no gold entity to score 'gapdner' against"),
        (
            [("New pain , new drug .", [("NEW", (0, 2)), ("OTHER", (4, 5)), ("NEW", (3, 4))])],
            "'gapdner' does not know these types of gold entities: NEW (2), OTHER (1).",
        ),
    ],
)
def test_a_development_corpus_that_cannot_be_scored_warns_once(
    run_training, good, tmp_path, docs, message
):
    path = save(tmp_path / "a.spacy", gold_docs(spacy.blank("en").vocab, docs))
    result = run_training(good, path)
    assert result.exit_code == 0
    assert len([m for m in result.warned if message in m]) == 1


def test_a_type_that_comes_after_the_sample(run_training, good, tmp_path):
    # a corpus that is streamed: only its first 100 documents are there at initialization
    vocab = spacy.blank("en").vocab
    docs = [
        *gold_docs(vocab, ANNOTATED[:1] * 100),
        *gold_docs(vocab, [("New .", [("NEW", (0, 1))])]),
    ]
    path = save(tmp_path / "a.spacy", docs)
    result = run_training(
        path, good, "--training.max_epochs", "-1", "--training.max_steps", "0", reader=OURS
    )
    assert "has the label 'NEW', which 'gapdner' does not know" in error_line(result)


@pytest.mark.parametrize("rate", ["1e6", "1e30"])
def test_a_learning_rate_that_is_far_too_high(run_training, good, rate):
    result = run_training(good, good, "--training.optimizer.learn_rate", rate)
    # the loss tells, or the scores of the evaluation before
    assert re.search("training (has|that) diverged", error_line(result))


def test_a_setting_out_of_its_range(run_training, good):
    result = run_training(good, good, "--components.gapdner.threshold", "7")
    assert "threshold must lie between 0 and 1" in error_line(result)


@pytest.mark.parametrize("reader", [OURS, SPACYS])
def test_one_document_without_sentences(run_training, good, tmp_path, reader):
    docs = gold_docs(spacy.blank("en").vocab, ANNOTATED[:1])
    assert not docs[0].has_annotation("SENT_START")
    path = save(tmp_path / "one.spacy", docs)
    result = run_training(path, path, "--nlp.pipeline", '["gapdner"]', reader=reader)
    assert result.exit_code == 0, result.output


def between_tokens(vocab):
    """Gold on "jo" and "severe" of "severe jo|int pain", of which the tokenizer makes three."""
    doc = Doc(vocab, words=["severe", "jo", "int", "pain"], spaces=[True, False, True, False])
    set_entities(doc, [Entity("ADR", ((0, 1),)), Entity("ADR", ((1, 2),))])
    return doc


MESSAGE = "1 of 2 gold entities lie between the tokens"


def test_gold_between_tokens_is_counted_once(run_training, good, tmp_path):
    path = save(tmp_path / "a.spacy", [between_tokens(spacy.blank("en").vocab)])
    result = run_training(path, good)
    assert result.exit_code == 0
    assert len([message for message in result.warned if MESSAGE in message]) == 1


def test_gold_between_tokens_is_refused_in_strict_mode(run_training, good, tmp_path):
    path = save(tmp_path / "a.spacy", [between_tokens(spacy.blank("en").vocab)])
    strict = {"strict_alignment": True, "labels": None}
    assert MESSAGE in error_line(run_training(path, good, initialize=strict))
    assert run_training(good, good, initialize=strict).exit_code == 0


def test_strict_mode_holds_in_training_too():
    nlp = make_nlp()
    bad = Example(nlp.make_doc("severe joint pain"), between_tokens(nlp.vocab))
    optimizer = nlp.create_optimizer()
    with pytest.warns(UserWarning, match=MESSAGE):
        nlp.update([relabelled(bad)], sgd=optimizer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp.update([relabelled(bad)], sgd=optimizer)
    pipe = nlp.get_pipe("gapdner")
    pipe.initialize(lambda: make_examples(nlp), nlp=nlp, strict_alignment=True)
    with pytest.raises(GapDNERError, match=MESSAGE):
        nlp.update([relabelled(bad)], sgd=optimizer)


def relabelled(example):
    set_entities(example.reference, [Entity("BODY", ((0, 1),)), Entity("BODY", ((1, 2),))])
    return example


@pytest.mark.parametrize("how", ["gradient", "weight"])
def test_numbers_that_are_none_stop_the_training(how):
    nlp = make_nlp()
    network = nlp.get_pipe("gapdner").model.get_ref("grid").layers[0].shims[0]._model
    if how == "weight":
        network.classifier.weight.data[0] = np.inf
    else:
        # the step spoils the weights, the loss of the next tells
        network.classifier.bias.register_hook(lambda gradient: gradient * np.nan)
    with pytest.raises(GapDNERError, match="training has diverged"):
        train(nlp, 2)


def test_scores_that_are_no_numbers_are_no_entities_and_no_silence():
    nlp = make_nlp()
    network = nlp.get_pipe("gapdner").model.get_ref("grid").layers[0].shims[0]._model
    network.classifier.weight.data.fill_(np.nan)
    with pytest.raises(GapDNERError, match="scores are not numbers"):
        nlp(make_doc(nlp, CORPUS[0][0]))
