"""What the model proposes, the order of texts by uncertainty, and trainings."""

import asyncio
import time

import pytest
import spacy

from spacy_gapdner.analysis.pipes import find_pipe
from spacy_gapdner.annotate.learning import is_held_out
from spacy_gapdner.annotate.proposals import Uncertainty, order_uncertain
from spacy_gapdner.annotate.training import Trainer

SHOULDER = ("ADR", [[0, 6], [17, 30]])
JOINT = ("ADR", [[0, 12], [26, 30]])


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
    found = client.post(f"texts/{name}/proposals")["proposals"]
    return sorted((proposal["label"], proposal["fragments"]) for proposal in found)


def test_proposals_are_what_nobody_has_decided_on(connect, proposer):
    client = connect(proposer=proposer)
    answer = client.post("texts/a/proposals")
    found = sorted((p["label"], p["fragments"]) for p in answer["proposals"])
    assert found == [SHOULDER, JOINT]
    assert all(p["source"] == "model" and 0 < p["score"] <= 1 for p in answer["proposals"])
    assert answer["model_version"] == client.get("state")["model_version"] == 1
    client.save("a", SHOULDER)
    assert proposed(client, "a") == [JOINT]
    client.save("a", rejected=[{"label": "ADR", "fragments": JOINT[1]}])
    assert proposed(client, "a") == [SHOULDER]
    assert client.get("project")["model"]["name"] == "tiny"


def test_without_a_model_there_are_none(connect):
    client = connect()
    assert client.post("texts/a/proposals") == {"proposals": [], "model_version": 0}
    assert "no model" in client.post("train", 409)["detail"]
    assert client.get("state")["training"] == {"state": "none", "texts": 0, "message": ""}


def test_labels_that_are_not_wanted_are_not_proposed(connect, open_session, proposer):
    session = open_session(proposer=proposer)
    session.labels = [label for label in session.labels if label.name == "Drug"]
    client = connect(session)
    assert proposed(client, "a") == []
    assert proposed(client, "b") == [("Drug", [[8, 15]])]


def test_short_texts_come_between_the_pieces_of_a_long_one(proposer):
    line, n = "Severe joint and shoulder pain today .", 200
    ended = []

    join = proposer.model.join

    def joining(text, *args):
        # in the thread that works: what waits for it may be told late
        name = "short" if text == line else "long"
        ended.append((name, proposer.model.find.cache_info().misses))
        return join(text, *args)

    async def propose(text):
        found, _ = await proposer.propose(text)
        return found

    async def both():
        return await asyncio.gather(propose(f"{line}\n" * n), propose(line))

    proposer.model.join = joining
    long, short = asyncio.run(both())
    # 8 tokens a line, 32 lines a piece
    assert ended == [("short", 3), ("long", 8)]
    at_once = sorted(
        (label, tuple((start + 39 * i, end + 39 * i) for start, end in fragments))
        for i in range(n)
        for label, fragments, *_ in short
    )
    assert sorted(p[:2] for p in long) == at_once
    proposer.rank(lambda: [("long", f"{line}\n" * n), ("short", line)])
    until(lambda: not proposer.pending)
    long, short = proposer.uncertainties["long"], proposer.uncertainties["short"]
    assert (long.words, short.words) == (n * 7, 7)
    assert long.uncertainty > 0


def test_the_order_by_uncertainty():
    uncertainties = {"a": Uncertainty(0.3, 10), "c": Uncertainty(0.5, 20), "d": Uncertainty(0.0, 5)}
    names = ["a", "b", "c", "d"]
    assert order_uncertain(names, uncertainties, None) == ["c", "a", "d", "b"]
    assert order_uncertain(names, uncertainties, 25) == ["c", "a", "b", "d"]
    assert order_uncertain(names, uncertainties, 30) == ["c", "a", "b", "d"]
    # the first may be longer
    assert order_uncertain(names, uncertainties, 5) == ["c", "a", "b", "d"]
    assert order_uncertain(names, {}, 5) == names


def test_uncertainty_is_found_out_in_the_background(connect, proposer):
    client = connect(proposer=proposer, order="uncertain")
    until(lambda: not client.get("texts?order=uncertain")["pending"])
    texts = client.get("texts?order=uncertain")["texts"]
    scores = [text["score"] for text in texts]
    assert sorted(scores, reverse=True) == scores
    assert {text["id"] for text in texts} == {"a", "b", "sub/c"}
    # nothing is found in the last, so nothing is uncertain
    assert (texts[-1]["id"], scores[-1]) == ("sub/c", 0.0)
    assert client.get("texts")["texts"][0]["score"] is None


@pytest.fixture
def train(open_session, connect, proposer, notes, tmp_path):
    """Connects to a server with a trainer of the tiny pipeline, or of another."""

    def start(model=None, **settings):
        path = tmp_path / "tiny"
        proposer.model.nlp.to_disk(path)
        trainer = Trainer(str(model or path), notes / ".gapdner", proposer.swap)
        proposer.load = load
        return connect(open_session(proposer=proposer, trainer=trainer, **settings))

    return start


def load(name):
    nlp = spacy.load(name)
    return nlp, find_pipe(nlp)


@pytest.mark.slow
def test_retraining(train):
    client = train(retrain_after=2)
    new = ("Finding", [[3, 13]])
    client.save("sub/c", new, status="done")
    assert client.get("state")["training"]["state"] == "none"
    client.save("b", ("Drug", [[8, 15]]), status="done")
    state = client.get("state")
    assert (state["training"]["texts"], state["done_since"], state["retrain_after"]) == (2, 0, 2)
    assert "already running" in client.post("train", 409)["detail"]
    state = trained(client)
    message = "New model, trained on 2 texts. There are too few texts for a comparison."
    assert state["training"] == {"state": "none", "texts": 2, "message": message}
    assert state["model_version"] == 2
    assert "Finding" in client.get("project")["model"]["labels"]


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
def test_a_model_that_is_worse_is_not_used(train, notes, learned, message, version):
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


def test_a_training_that_cannot_begin_harms_nothing(train, notes, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError(12, "Cannot allocate memory")

    client = train(retrain_after=1)
    monkeypatch.setattr("subprocess.Popen", refuse)
    client.save("b", ("Drug", [[8, 15]]), status="done")
    assert (notes / "b.ann").exists()
    training = client.get("state")["training"]
    assert training["state"] == "failed"
    assert "Cannot allocate memory" in training["message"]


@pytest.mark.slow
def test_a_training_that_fails_harms_nothing(train, tmp_path):
    client = train(tmp_path / "none")
    client.save("b", ("Drug", [[8, 15]]), status="done")
    assert client.post("train", 202)["training"]["state"] == "running"
    state = trained(client)
    assert (state["training"]["state"], state["model_version"]) == ("failed", 1)
    assert str(tmp_path / "none") in state["training"]["message"]
    assert proposed(client, "a") == [SHOULDER, JOINT]


def test_nothing_to_train_on(train):
    assert "No text is done" in train().post("train", 409)["detail"]
