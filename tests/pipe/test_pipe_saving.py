import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.cli.find_threshold import find_threshold
from spacy.tokens import DocBin
from tiny_pipeline import CORPUS, LABELS, annotate, expected, found, make_doc, make_nlp, train

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.calibration import Calibration, Line


@pytest.fixture(scope="module")
def trained():
    nlp = make_nlp()
    train(nlp, 60)
    return nlp


@pytest.fixture(scope="module")
def saved(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    trained.to_disk(path)
    return path


def annotate_all(nlp):
    docs = [annotate(nlp, text) for text, _ in CORPUS]
    return [[(e.label_, e.token_indices, e.score) for e in get_entities(doc)] for doc in docs]


def test_disk(trained, saved):
    loaded = spacy.load(saved)
    assert loaded.get_pipe("gapdner").labels == LABELS
    assert annotate_all(loaded) == annotate_all(trained)
    assert [found(annotate(loaded, text)) for text, _ in CORPUS] == [
        expected(entities) for _, entities in CORPUS
    ]


def test_bytes(trained):
    config = trained.config
    loaded = spacy.util.load_model_from_config(config).from_bytes(trained.to_bytes())
    assert annotate_all(loaded) == annotate_all(trained)


def test_pickle(trained):
    assert annotate_all(pickle.loads(pickle.dumps(trained))) == annotate_all(trained)


def test_a_loaded_pipeline_learns_on(trained, saved):
    loaded = spacy.load(saved)
    before = annotate_all(loaded)
    train(loaded, 5)
    assert annotate_all(loaded) != before
    assert annotate_all(spacy.load(saved)) == before == annotate_all(trained)


def test_excluded_parts_are_not_saved(trained, tmp_path):
    pipe = trained.get_pipe("gapdner")
    pipe.to_disk(tmp_path, exclude=["model"])
    assert not (tmp_path / "model").exists()
    assert (tmp_path / "cfg").exists()


def test_processes_give_the_same_entities(saved):
    # after the parent has used PyTorch's thread pool, which a fork does not carry over
    script = """
import sys, spacy, torch
from tiny_pipeline import CORPUS, annotate, make_doc, train

def entities(docs):
    return [[(e.to_entity(), round(e.score, 4)) for e in doc._.discontinuous_ents] for doc in docs]

torch.set_num_threads(2)
nlp = spacy.load(sys.argv[1])
train(nlp, 1, rate=1e-5)
texts = [text for text, _ in CORPUS] * 2
docs = [make_doc(nlp, text) for text in texts]
several = entities(nlp.pipe(docs, n_process=2, batch_size=2))
torch.set_num_threads(1)
one = entities(annotate(nlp, text) for text in texts)
assert sum(map(len, one)) > 10
assert several == one
"""
    result = subprocess.run(
        [sys.executable, "-c", script, str(saved)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_find_threshold(trained, saved, tmp_path):
    gold = [make_doc(trained, text, entities) for text, entities in CORPUS[:3]]
    DocBin(docs=gold).to_disk(tmp_path / "dev.spacy")
    threshold, score, scores = find_threshold(
        str(saved), tmp_path / "dev.spacy", "gapdner", "threshold", "spans_gapdner_f", n_trials=3
    )
    assert {float(key): value for key, value in scores.items()} == {0.0: 1.0, 0.5: 1.0, 1.0: 0.0}
    assert (threshold, score) == (0.0, 1.0)


SETTINGS = {
    "spans_key": "other",
    "threshold": 0.7,
    "disc_threshold": 0.57,
    "max_paths": 7,
    "max_length": 64,
    "stride": 32,
    "annotate_ents": True,
    "lr_scale": 0.1,
    "calibration": Calibration(Line(0.5, 0.25), Line(1.0, -0.5)).to_dict(),
    "type_thresholds": {"DRUG": 0.29},
}


def test_settings_that_were_changed_survive_as_they_are(saved, tmp_path):
    nlp = spacy.load(saved)
    cfg = nlp.get_pipe("gapdner").cfg
    assert cfg.keys() == {"labels", *SETTINGS}
    assert not any(cfg[name] == value for name, value in SETTINGS.items())
    cfg.update(SETTINGS)
    nlp.to_disk(tmp_path)
    # twice, as a tuned pipeline may be tuned again
    spacy.load(tmp_path).to_disk(tmp_path / "again")
    for loaded in (
        spacy.load(tmp_path),
        spacy.load(tmp_path / "again"),
        spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes()),
    ):
        assert loaded.get_pipe("gapdner").cfg == {"labels": list(LABELS), **SETTINGS}


def test_what_is_saved_goes_before_the_config(saved):
    overrides = {"components.gapdner.threshold": 0.125, "components.gapdner.spans_key": "ades"}
    pipe = spacy.load(saved, config=overrides).get_pipe("gapdner")
    assert (pipe.cfg["threshold"], pipe.key) == (0.4, "gapdner")
    # a pipe that is not loaded has what the config says
    nlp = spacy.util.load_model_from_config(spacy.load(saved, config=overrides).config)
    pipe = nlp.get_pipe("gapdner")
    assert (pipe.cfg["threshold"], pipe.key) == (0.125, "ades")


def test_calibrated_scores_and_thresholds_by_type(saved):
    nlp = spacy.load(saved)
    cfg = nlp.get_pipe("gapdner").cfg
    text, _ = CORPUS[2]
    first, _ = get_entities(annotate(nlp, text))
    cfg["calibration"] = Calibration(Line(1.0, -2.0), Line()).to_dict()
    calibrated = get_entities(annotate(nlp, text))
    expected_score = Line(1.0, -2.0).probability(first.score)
    assert [e.label_ for e in calibrated] == ["DRUG", "DRUG"]
    assert calibrated[0].score == pytest.approx(expected_score)
    cfg["type_thresholds"] = {"DRUG": min(calibrated[0].score, calibrated[1].score) + 1e-6}
    assert len(get_entities(annotate(nlp, text))) < 2
    cfg["type_thresholds"] = {"BODY": 1.0}
    assert len(get_entities(annotate(nlp, text))) == 2
    text, _ = CORPUS[1]
    assert {e.label_ for e in get_entities(annotate(nlp, text))} == {"SYMPTOM"}


def test_weights_of_earlier_versions_ask_for_training(saved, tmp_path):
    shutil.copytree(saved, tmp_path / "old")
    path = tmp_path / "old" / "gapdner" / "model"
    model = srsly.msgpack_loads(path.read_bytes())
    (shims,) = [shims for shims in model["shims"] if shims]
    shim = srsly.msgpack_loads(shims[0])
    network = srsly.msgpack_loads(shim["state"])
    del network["labels"]
    shims[0] = srsly.msgpack_dumps({**shim, "state": srsly.msgpack_dumps(network)})
    path.write_bytes(srsly.msgpack_dumps(model))
    with pytest.raises(GapDNERError, match=r"^The pipeline was saved .* 0\.7\. Train it anew\.$"):
        spacy.load(tmp_path / "old")
