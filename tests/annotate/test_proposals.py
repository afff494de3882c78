"""Proposals of the model, the order of texts by uncertainty, and training."""

import time
from types import SimpleNamespace

import pytest
import spacy
from spacy.language import Language

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.pipes import find_pipe
from spacy_gapdner.annotate.learning import is_held_out
from spacy_gapdner.annotate.proposals import Proposer
from spacy_gapdner.annotate.training import NO_TRAINING, Trainer


@Language.component("find_whitespace_for_test")
def find_whitespace(doc):
    """Find "pain" with and without line breaks, and line breaks."""
    assert doc[2].is_space
    places = [((0, 3),), ((0, 2),), ((2, 3),)]
    set_entities(doc, [Entity("ADR", place, 0.5) for place in places])
    return doc


SHOULDER = ("ADR", [[0, 6], [17, 30]])
JOINT = ("ADR", [[0, 12], [26, 30]])
DRUG = ("Drug", [[8, 15]])


def until(condition):
    end = time.monotonic() + 120
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def trained(client):
    """The state after the training that is running."""
    until(lambda: client.get("state")["training"]["state"] != "running")
    return client.get("state")


def proposed(client, name):
    found = client.post(f"texts/{name}/proposals")
    return sorted((proposal["label"], proposal["fragments"]) for proposal in found)


def test_accepted_and_rejected_entities_are_not_proposed(connect, proposer):
    client = connect(proposer=proposer, labels="ADR")
    assert client.get("project")["model"] == {"name": "tiny", "version": "0.0.0"}
    found = client.post("texts/a/proposals")
    assert all(p["source"] == "model" and 0 < p["score"] <= 1 for p in found)
    assert proposed(client, "a") == [SHOULDER, JOINT]
    client.save("a", SHOULDER)
    assert proposed(client, "a") == [JOINT]
    client.save("a", rejected=[{"label": "ADR", "fragments": JOINT[1]}])
    assert proposed(client, "a") == [SHOULDER]
    # nor labels that are not in use
    assert proposed(client, "b") == []
    assert proposed(connect(proposer=proposer), "b") == [DRUG]


def test_whitespace_is_not_proposed(connect, notes):
    (notes / "lines.txt").write_bytes(b"Severe pain\r\n\r\nFever")
    nlp = spacy.blank("en")
    nlp.add_pipe("find_whitespace_for_test")
    pipe = SimpleNamespace(key="gapdner")
    client = connect(proposer=Proposer("blank", lambda name: (nlp, pipe)))
    found = client.post("texts/lines/proposals")
    assert [(p["label"], p["fragments"], p["score"]) for p in found] == [("ADR", [[0, 11]], 0.5)]
    client.save("lines", *((p["label"], p["fragments"]) for p in found))


def test_without_a_model(connect):
    client = connect()
    assert client.post("texts/a/proposals") == []
    assert "no model" in client.post("train", 422)["detail"]
    assert client.get("state")["training"] == NO_TRAINING


def test_uncertainty_is_computed_in_the_background(connect, proposer, notes):
    (notes / "long.txt").write_text("Severe joint and shoulder pain today .\n" * 100)
    client = connect(proposer=proposer)
    assert client.get("texts")["texts"][0]["score"] is None
    until(lambda: not client.get("texts?order=uncertain")["pending"])
    # a text that was added later is last
    (notes / "a new text.txt").write_text("Fever .")
    texts = client.get("texts?order=uncertain")["texts"]
    *scores, last = (text["score"] for text in texts)
    assert (sorted(scores, reverse=True), last) == (scores, None)
    assert {text["id"] for text in texts[:-2]} == {"a", "b", "long"}
    # nothing is found in this text
    assert (texts[-2]["id"], scores[-1]) == ("sub/c", 0.0)


@pytest.fixture
def train(connect, proposer, notes, tmp_path):
    """Connects to a server with a trainer of the tiny pipeline, or of another."""

    def load(name):
        nlp = spacy.load(name)
        return nlp, find_pipe(nlp)

    def start(model=tmp_path / "tiny", **settings):
        proposer.model.nlp.to_disk(tmp_path / "tiny")
        trainer = Trainer(str(model), notes / ".gapdner", proposer.swap)
        proposer.load = load
        return connect(proposer=proposer, trainer=trainer, **settings)

    return start


@pytest.mark.slow
def test_retraining(train, proposer):
    client = train(retrain_after=2)
    assert "No text is done" in client.post("train", 422)["detail"]
    client.save("sub/c", ("Finding", [[3, 13]]), status="done")
    assert client.get("state")["training"]["state"] == "none"
    client.save("b", DRUG, status="done")
    state = client.get("state")
    assert (state["training"]["texts"], state["done_since"], state["retrain_after"]) == (2, 0, 2)
    assert "already running" in client.post("train", 422)["detail"]
    state = trained(client)
    message = "New model, trained on 2 texts. There are too few texts for a comparison."
    assert state["training"] == {"state": "none", "texts": 2, "message": message}
    assert state["model_version"] == 2
    assert "Finding" in proposer.model.pipe.labels


LEARNED = [f"text{i}" for i in range(30) if not is_held_out(f"text{i}")][:4]
HELD_OUT = [f"text{i}" for i in range(30) if is_held_out(f"text{i}")][:4]
BETTER = "New model, trained on 4 texts: F 1.00, before 1.00, on 4 held-out texts."
WORSE = (
    "The model is unchanged. A model trained on 4 texts has F 0.00, the current one 1.00, on 4 "
    "held-out texts."
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learned", "message", "version"),
    [([SHOULDER, JOINT], BETTER, 2), ([("Drug", [[31, 36]])], WORSE, 1)],
)
def test_a_worse_model_is_not_used(train, notes, learned, message, version):
    for name in (*LEARNED, *HELD_OUT):
        (notes / f"{name}.txt").write_text("Severe joint and shoulder pain today .")
    client = train(retrain_after=8)
    for name in HELD_OUT:
        client.save(name, SHOULDER, JOINT, status="done")
    for name in LEARNED:
        client.save(name, *learned, status="done")
    state = trained(client)
    assert state["training"] == {"state": "none", "texts": 8, "message": message}
    assert state["model_version"] == version
    assert (notes / ".gapdner" / "model").exists() == (version == 2)
    assert proposed(client, "a") == [SHOULDER, JOINT]


@pytest.mark.parametrize(
    "reason", ["memory", pytest.param("no such pipeline", marks=pytest.mark.slow)]
)
def test_a_failed_training_keeps_annotation_and_model(train, notes, monkeypatch, reason):
    def refuse(*args, **kwargs):
        raise OSError(12, "Cannot allocate memory")

    client = train("no such pipeline", retrain_after=1)
    if reason == "memory":
        monkeypatch.setattr("subprocess.Popen", refuse)
    client.save("b", DRUG, status="done")
    state = trained(client)
    assert (state["training"]["state"], state["model_version"]) == ("failed", 1)
    assert reason in state["training"]["message"]
    assert (notes / "b.ann").exists()
    assert proposed(client, "a") == [SHOULDER, JOINT]
