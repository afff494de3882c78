"""Proposals of the model, the order of texts by uncertainty, and training."""

from copy import deepcopy
from types import SimpleNamespace

import pytest
import spacy
from grid_models import network_of
from python_process import wait_until
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from tiny_pipeline import ANNOTATED, gold_docs, learn_by_heart

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.apps.annotate import learning
from spacy_gapdner.apps.annotate.learning import is_held_out
from spacy_gapdner.apps.annotate.proposals import Proposer
from spacy_gapdner.apps.annotate.training import MIN_COMPARED, NO_TRAINING, Trainer
from spacy_gapdner.inference.loading import load_recognizer
from spacy_gapdner.training.init_config import init_config


@Language.component("find_whitespace_for_test")
def find_whitespace(doc):
    """Find "pain" with and without line breaks, and line breaks."""
    places = [((0, 3),), ((0, 2),), ((2, 3),)]
    set_entities(doc, [Entity("ADR", place, 0.5) for place in places])
    return doc


SHOULDER = ("ADR", [[0, 6], [17, 30]])
JOINT = ("ADR", [[0, 12], [26, 30]])
DRUG = ("Drug", [[8, 15]])


def trained(client, starts=True):
    """The state after training."""
    if starts:
        client.post("train", 202)
    wait_until(lambda: client.get("state")["training"]["state"] != "running")
    return client.get("state")


def proposed(client, name):
    found = client.post(f"texts/{name}/proposals")
    return sorted((proposal["label"], proposal["fragments"]) for proposal in found)


def test_accepted_and_rejected_entities_are_not_proposed(connect, proposer):
    client = connect(proposer=proposer, labels="ADR")
    assert client.get("state")["model"] == "tiny 0.0.0"
    assert {proposal["source"] for proposal in client.post("texts/a/proposals")} == {"model"}
    assert proposed(client, "a") == [SHOULDER, JOINT]
    client.save("a", SHOULDER)
    assert proposed(client, "a") == [JOINT]
    client.save("a", rejected=[{"label": "ADR", "fragments": JOINT[1]}])
    assert proposed(client, "a") == [SHOULDER]
    # labels that are not in use are not proposed either
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


def test_uncertainty_is_computed_in_the_background(connect, proposer, notes):
    (notes / "long.txt").write_text("Severe joint and shoulder pain today .\n" * 100)
    client = connect(proposer=proposer)
    assert client.get("texts")["texts"][0]["score"] is None
    wait_until(lambda: not client.get("texts?order=uncertain")["pending"])
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
    """Connects to a server with a trainer of the tiny pipeline, and with enough texts."""
    for name in (*HELD_OUT, *LEARNED):
        (notes / f"{name}.txt").write_text("Severe joint and shoulder pain today .")

    def start(data=None, **settings):
        model = tmp_path / "tiny"
        proposer.model.nlp.to_disk(model)
        trainer = Trainer(str(model), notes / ".gapdner", proposer.swap, data=data)
        proposer.load = load_recognizer
        return connect(proposer=proposer, trainer=trainer, **settings)

    return start


def finish(client):
    for name in (*HELD_OUT, *LEARNED):
        client.save(name, SHOULDER, JOINT, status="done")


NAMES = [f"text{i}" for i in range(90)]
HELD_OUT = [name for name in NAMES if is_held_out(name)][:MIN_COMPARED]
LEARNED = [name for name in NAMES if not is_held_out(name)][:8]


@pytest.mark.slow
def test_retraining(train, proposer, tmp_path, monkeypatch):
    # the texts that are done are read with other settings
    reader = {"@readers": "spacy-gapdner.Corpus.v1", "path": None, "format": "brat"}
    monkeypatch.setitem(proposer.model.nlp.config["corpora"], "train", reader)
    # with a type that the model does not have
    annotated = [*ANNOTATED, ("Fever today .", [("Sign", (0, 1))])]
    DocBin(docs=gold_docs(Vocab(), annotated)).to_disk(tmp_path / "gold.spacy")
    client = train(tmp_path / "gold.spacy", retrain_after=29)
    finish(client)
    client.save("sub/c", ("Finding", [[3, 13]]), status="done")
    state = client.get("state")
    assert (state["training"]["texts"], state["done_since"], state["retrain_after"]) == (29, 0, 29)
    assert "already running" in client.post("train", 422)["detail"]
    assert "training is running" in client.post("back", 422)["detail"]
    state = trained(client, starts=False)
    scores = "F1 100.0, discontinuous F1 100.0"
    assert state["training"]["message"] == (
        "New model. A model trained on 9 texts and 5 of 5 sentences of gold.spacy has "
        f"{scores} on 20 held-out texts, the previous one {scores}."
    )
    assert (state["model_version"], state["has_previous"]) == (2, True)
    assert state["model"] == f"tiny 0.0.0, retrained: {scores} on held-out texts"
    assert "Finding" in proposer.model.pipe.labels
    client.post("back")
    state = client.get("state")
    assert (state["model_version"], state["has_previous"]) == (3, False)
    assert state["training"]["message"] == "The previous model is used again."
    assert "There is no previous model" in client.post("back", 422)["detail"]


def test_rollback_removes_the_new_model(tmp_path):
    used = []
    trainer = Trainer("start", tmp_path, used.append)
    for before in ([], ["model", "meta.json"]):
        (tmp_path / "new-model").mkdir()
        trainer._use_new()
        trainer.go_back()
        assert [path.name for path in tmp_path.rglob("*")] == before
        (tmp_path / "model").mkdir(exist_ok=True)
        (tmp_path / "model" / "meta.json").touch()
    assert used[1::2] == ["start", "start"]


@pytest.mark.slow
def test_worse_model_is_not_used(train, proposer, notes, monkeypatch):
    optimizer = proposer.model.nlp.config["training"]["optimizer"]
    monkeypatch.setitem(optimizer, "learn_rate", 0.1)
    client = train()
    for name in HELD_OUT:
        client.save(name, SHOULDER, JOINT, status="done")
    for name in LEARNED:
        client.save(name, ("Drug", [[31, 36]]), status="done")
    state = trained(client)
    assert state["training"]["message"].startswith("The model is unchanged. A model trained on 8")
    assert (state["model_version"], state["has_previous"]) == (1, False)
    assert not (notes / ".gapdner" / "model").exists()
    assert proposed(client, "a") == [SHOULDER, JOINT]


@pytest.mark.parametrize(
    "reason", ["memory", pytest.param("b.txt is not UTF-8", marks=pytest.mark.slow)]
)
def test_failed_training_keeps_annotation_and_model(train, notes, monkeypatch, reason):
    client = train()
    finish(client)
    client.save("b", DRUG, status="done")
    if reason == "memory":
        monkeypatch.setattr("spacy_gapdner.apps.annotate.training.Popen", refuse)
    else:
        (notes / "b.txt").write_bytes(b"caf\xe9")
    state = trained(client)
    assert (state["training"]["state"], state["model_version"]) == ("failed", 1)
    assert reason in state["training"]["message"]
    assert (notes / "b.ann").exists()
    assert proposed(client, "a") == [SHOULDER, JOINT]


def test_schedule_of_the_config_is_shortened_and_scaled():
    nlp = learn_by_heart(ANNOTATED, steps=1)
    training = init_config(transformer="none").interpolate()["training"]
    nlp.config["training"] = {**training, "annotating_components": []}
    schedule = deepcopy(training["optimizer"]["learn_rate"])
    warmup = 40 * schedule["warmup_steps"] // schedule["total_steps"]
    learning._shorten(schedule, 40)
    assert (schedule["total_steps"], schedule["warmup_steps"]) == (40, warmup)
    pipe = nlp.get_pipe("gapdner")
    weights = network_of(pipe.model).classifier.weight
    before = weights.tolist()
    learning._update(nlp, pipe, gold_docs(nlp.vocab), 0.0)
    assert weights.tolist() == before


def test_other_components_are_not_retrained():
    nlp = learn_by_heart(ANNOTATED, steps=1)
    training = init_config(transformer="none").interpolate()["training"]
    nlp.config["training"] = {**training, "frozen_components": ["gapdner"]}
    nlp.add_pipe("gapdner", "other", source=learn_by_heart(ANNOTATED, steps=1))
    pipes = nlp.get_pipe("gapdner"), nlp.get_pipe("other")
    before = [pipe.model.to_bytes() for pipe in pipes]
    learning._update(nlp, pipes[0], gold_docs(nlp.vocab), 1.0)
    assert pipes[0].model.to_bytes() != before[0]
    assert pipes[1].model.to_bytes() == before[1]


def test_shared_encoder_is_retrained():
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer")
    nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}
    # the other pipe is the last listener
    for name, key in (("gapdner", "gapdner"), ("other", "other")):
        nlp.add_pipe("gapdner", name, config={"spans_key": key, "model": {"tok2vec": listener}})
        nlp.get_pipe(name).add_label("ADR")
    nlp.initialize()
    training = init_config(transformer="none").interpolate()["training"]
    nlp.config["training"] = {**training, "annotating_components": []}
    before = [nlp.get_pipe(name).model.to_bytes() for name in ("tok2vec", "other")]
    nlp.get_pipe("gapdner").add_label("Drug")
    learning._update(nlp, nlp.get_pipe("gapdner"), gold_docs(nlp.vocab), 1.0)
    after = [nlp.get_pipe(name).model.to_bytes() for name in ("tok2vec", "other")]
    assert [new == old for new, old in zip(after, before, strict=True)] == [False, True]


def refuse(*args, **kwargs):
    raise OSError(12, "Cannot allocate memory")


def test_training_needs_enough_held_out_texts(train, monkeypatch):
    monkeypatch.setattr("spacy_gapdner.apps.annotate.training.Popen", refuse)
    client = train(retrain_after=1)
    # texts without entities, and texts that are not held out, do not count
    client.save(HELD_OUT[0], status="done")
    for name in (*HELD_OUT[2:], *LEARNED):
        client.save(name, SHOULDER, status="done")
    message = (
        "Training needs 20 finished texts with entities that are held out to compare the new model "
        "with the current one. 18 of them are finished. One text in 3 is held out."
    )
    assert client.post("train", 422) == {"detail": message}
    client.save(HELD_OUT[1], JOINT)
    state = client.get("state")
    assert (state["requirement"], state["training"]) == (message, NO_TRAINING)
    client.save(HELD_OUT[1], (*JOINT, "T1"), status="done")
    client.save(HELD_OUT[0], JOINT, status="skipped")
    assert "19 of them are finished" in client.get("state")["requirement"]
    assert client.get("state")["training"] == NO_TRAINING
    # with the last one, the first training starts
    client.save(HELD_OUT[0], (*JOINT, "T1"), status="done")
    assert client.get("state")["training"]["texts"] == 28
    assert client.get("state")["requirement"] == ""


class CountingTrainer:
    """Starts trainings that run until they are ended."""

    previous = None

    def __init__(self):
        self.started, self.is_running, self.training = [], False, NO_TRAINING

    def requirement(self, stems):
        return ""

    def start(self, stems):
        self.started.append(dict(stems))
        self.is_running = True


def test_texts_that_are_finished_during_training_start_the_next_one(connect):
    trainer = CountingTrainer()
    client = connect(trainer=trainer, retrain_after=1)
    for name, since in {"a": 0, "b": 1, "sub/c": 2}.items():
        client.save(name, status="done")
        assert client.get("state")["done_since"] == since
    trainer.is_running = False
    # no other text is saved
    for _ in range(2):
        assert client.get("state")["done_since"] == 0
    assert [sorted(stems) for stems in trainer.started] == [["a"], ["a", "b", "sub/c"]]


def test_training_with_a_shared_folder(connect, notes):
    trainer = CountingTrainer()
    client = connect(shared=True, trainer=trainer)
    people = [{"X-Annotator": name} for name in ("Ann", "Jo")]
    for headers in people:
        client.save("a", JOINT, headers=headers, status="done")
    client.save("b", DRUG, headers=headers, status="done")
    client.post("train", 202, headers=headers)
    # the first annotator's annotation of a text is used
    stems = {
        name: stem.relative_to(notes / ".annotators").as_posix()
        for name, stem in trainer.started[0].items()
    }
    assert stems == {"a": "Ann/a", "b": "Jo/b"}
