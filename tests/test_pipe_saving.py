import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
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


def test_settings_can_be_overridden_on_load(saved):
    overrides = {
        "components.gapdner.spans_key": "ades",
        "components.gapdner.threshold": 0.125,
        "components.gapdner.annotate_ents": True,
    }
    nlp = spacy.load(saved, config=overrides)
    pipe = nlp.get_pipe("gapdner")
    assert (pipe.key, pipe.threshold, pipe.annotate_ents) == ("ades", 0.125, True)
    text, entities = CORPUS[1]
    doc = annotate(nlp, text)
    assert found(doc, "ades") == expected(entities)
    assert found(doc) == []
    assert [ent.text for ent in doc.ents] == ["pain in left arm", "right leg"]


def test_nested_overrides_on_load(saved):
    nlp = spacy.load(saved, config={"components": {"gapdner": {"spans_key": "ades"}}})
    assert nlp.get_pipe("gapdner").key == "ades"
    text, entities = CORPUS[2]
    assert found(annotate(nlp, text), "ades") == expected(entities)


def test_overrides_survive_saving_again(saved, tmp_path):
    spacy.load(saved, config={"components.gapdner.spans_key": "ades"}).to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe("gapdner").key == "ades"


def test_processes_give_the_same_entities(saved):
    # after the parent has used PyTorch's thread pool, which a fork does not carry over
    script = """
import sys, spacy, torch
from tiny_pipeline import CORPUS, annotate, make_doc, train

def entities(docs):
    return [[(e.to_entity(), round(e.score, 4)) for e in doc._.discontinuous_ents] for doc in docs]

torch.set_num_threads(2)
nlp = spacy.load(sys.argv[1])
train(nlp, 1)
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
        cwd=Path(__file__).parent,
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


def change_settings(pipe):
    pipe.threshold = 0.625
    pipe.max_length, pipe.stride = 64, 32
    pipe.annotate_ents = True
    pipe.key, pipe.lr_scale = "other", 0.5
    pipe.calibration = Calibration(Line(0.5, 0.25), Line(1.0, -0.5))
    pipe.type_thresholds = {"DRUG": 0.75}


def settings(pipe):
    return (
        *(pipe.threshold, pipe.max_length, pipe.stride, pipe.annotate_ents),
        *(pipe.key, pipe.lr_scale, pipe.calibration, pipe.type_thresholds),
    )


def test_settings_that_were_changed_survive(saved, tmp_path):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe("gapdner")
    before = settings(pipe)
    change_settings(pipe)
    nlp.to_disk(tmp_path)
    # twice, as a tuned pipeline may be tuned again
    spacy.load(tmp_path).to_disk(tmp_path / "again")
    for path in (tmp_path, tmp_path / "again"):
        assert settings(spacy.load(path).get_pipe("gapdner")) == settings(pipe) != before
    loaded = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert settings(loaded.get_pipe("gapdner")) == settings(pipe)
    # what says something else when the pipeline is loaded goes before
    chosen = spacy.load(tmp_path, config={"components.gapdner.threshold": 0.25})
    assert chosen.get_pipe("gapdner").threshold == 0.25
    assert chosen.get_pipe("gapdner").max_length == 64


def test_numbers_of_numpy_are_saved(saved, tmp_path):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe("gapdner")
    pipe.threshold, pipe.cell_threshold = np.float32(0.5), np.float64(0.25)
    pipe.max_length, pipe.stride, pipe.max_paths = np.int64([100, 50, 7])
    pipe.lr_scale = np.float32(2)
    pipe.consistent = np.bool_(True)
    pipe.type_thresholds = {"DRUG": np.float32(0.75)}
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path).get_pipe("gapdner")
    assert (loaded.threshold, loaded.cell_threshold) == (0.5, 0.25)
    assert (loaded.max_length, loaded.stride, loaded.max_paths) == (100, 50, 7)
    assert (loaded.lr_scale, loaded.consistent) == (2, True)
    assert loaded.type_thresholds == {"DRUG": 0.75}


def test_calibrated_scores_and_thresholds_by_type(saved):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe("gapdner")
    text, _ = CORPUS[2]
    first, _ = get_entities(annotate(nlp, text))
    pipe.calibration = Calibration(Line(1.0, -2.0), Line())
    calibrated = get_entities(annotate(nlp, text))
    expected_score = Line(1.0, -2.0).probability(first.score)
    assert [e.label_ for e in calibrated] == ["DRUG", "DRUG"]
    assert calibrated[0].score == pytest.approx(expected_score)
    pipe.type_thresholds = {"DRUG": min(calibrated[0].score, calibrated[1].score) + 1e-6}
    assert len(get_entities(annotate(nlp, text))) < 2
    pipe.type_thresholds = {"BODY": 1.0}
    assert len(get_entities(annotate(nlp, text))) == 2
    text, _ = CORPUS[1]
    assert {e.label_ for e in get_entities(annotate(nlp, text))} == {"SYMPTOM"}


def test_loading_forgets_what_was_set(saved):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe("gapdner")
    plain, before = nlp.to_bytes(), settings(pipe)
    change_settings(pipe)
    assert settings(nlp.from_bytes(plain).get_pipe("gapdner")) == before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("stride", 0, "stride must be a whole number"),
        ("stride", 200, "stride = 200 and max_length = 128"),
        ("entity_score", "wekest", "entity_score is 'mean' or 'weakest'"),
        ("max_paths", 0, "max_paths must be a whole number"),
    ],
)
def test_saved_settings_that_cannot_be_are_refused(saved, tmp_path, name, value, message):
    nlp = spacy.load(saved)
    nlp.to_disk(tmp_path)
    cfg = srsly.read_json(tmp_path / "gapdner" / "cfg")
    before = getattr(nlp.get_pipe("gapdner"), name)
    cfg["settings"] = {name: {"config": before, "set": value}}
    srsly.write_json(tmp_path / "gapdner" / "cfg", cfg)
    with pytest.raises(GapDNERError, match=message):
        spacy.load(tmp_path)


def test_windows_that_could_not_be_loaded_are_not_saved(saved, tmp_path):
    nlp = spacy.load(saved)
    nlp.get_pipe("gapdner").max_length = 64
    with pytest.raises(GapDNERError, match="stride = 96 and max_length = 64"):
        nlp.get_pipe("gapdner").to_disk(tmp_path / "pipe")
    with pytest.raises(GapDNERError, match="stride = 96 and max_length = 64"):
        nlp.to_bytes()


def test_another_threshold_goes_before_those_of_types(saved, tmp_path):
    nlp = spacy.load(saved)
    nlp.get_pipe("gapdner").type_thresholds = {"DRUG": 0.75}
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe("gapdner").type_thresholds == {"DRUG": 0.75}
    other = spacy.load(tmp_path, config={"components.gapdner.threshold": 0.25})
    assert other.get_pipe("gapdner").type_thresholds == {}


def test_a_pipeline_of_the_first_architecture_keeps_its_network(tmp_path):
    """As earlier versions saved it: without the settings that have come since."""
    nlp = make_nlp()
    nlp.to_disk(tmp_path)
    path = tmp_path / "config.cfg"
    new = ("co_predictor", "entity_score", "consistent")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith(new)))
    loaded = spacy.load(tmp_path)
    assert "GapDNER.v1" in path.read_text()
    network = loaded.get_pipe("gapdner").model.get_ref("grid").layers[0].shims[0]._model
    assert network.co_predictor is None
    assert annotate_all(loaded)
