import pickle
import re

import pytest
import spacy
from spacy.cli.find_threshold import find_threshold
from spacy.tokens import DocBin
from tiny_pipeline import CORPUS, LABELS, annotate, make_doc, train

from spacy_gapdner import get_entities
from spacy_gapdner.pipe.calibration import Calibration

SETTINGS = {"spans_key": "other", "max_length": 64, "stride": 32, "max_paths": 7}
SETTINGS |= {"threshold": 0.7, "disc_threshold": 0.57, "type_thresholds": {"DRUG": 0.29}}
SETTINGS |= {"calibration": Calibration(0.5, 0.25, -0.5)._asdict()}
SETTINGS |= {"annotate_ents": True, "lr_scale": 0.1}


def annotate_all(nlp):
    docs = [annotate(nlp, text) for text, _ in CORPUS]
    return [[(e.label_, e.token_indices, e.score) for e in get_entities(doc)] for doc in docs]


def from_bytes(nlp):
    return spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())


def test_disk_bytes_and_pickle(trained, saved):
    before, loaded = annotate_all(trained), spacy.load(saved)
    for nlp in (loaded, from_bytes(trained), pickle.loads(pickle.dumps(trained))):
        assert annotate_all(nlp) == before
    # loaded pipelines can be trained again
    train(loaded, 5)
    assert annotate_all(loaded) != before == annotate_all(trained)


def test_find_threshold(trained, saved, tmp_path):
    gold = [make_doc(trained, text, entities) for text, entities in CORPUS[:3]]
    DocBin(docs=gold).to_disk(tmp_path / "dev.spacy")
    paths = str(saved), tmp_path / "dev.spacy"
    found = find_threshold(*paths, "gapdner", "threshold", "spans_gapdner_f", n_trials=3)
    threshold, score, scores = found
    assert {float(key): value for key, value in scores.items()} == {0.0: 1.0, 0.5: 1.0, 1.0: 0.0}
    assert (threshold, score) == (0.0, 1.0)


def test_changed_settings_are_saved(saved, tmp_path):
    nlp = spacy.load(saved)
    cfg = nlp.get_pipe("gapdner").cfg
    config = cfg["config"]
    assert cfg.keys() == {"labels", "config", *SETTINGS}
    assert not any(cfg[name] == value for name, value in SETTINGS.items())
    cfg.update(SETTINGS)
    nlp.to_disk(tmp_path)
    # twice, as a tuned pipeline may be tuned again
    spacy.load(tmp_path).to_disk(tmp_path / "again")
    for loaded in (spacy.load(tmp_path / "again"), from_bytes(nlp)):
        expected = {"labels": list(LABELS), **SETTINGS, "config": config}
        assert loaded.get_pipe("gapdner").cfg == expected


def test_ignored_settings_are_reported(saved, tmp_path):
    nlp = spacy.load(saved)
    nlp.get_pipe("gapdner").cfg.update(threshold=0.7, disc_threshold=0.6)
    nlp.to_disk(tmp_path)
    message = (
        "'gapdner' ignores settings of the config, because it was saved with threshold = 0.7. To "
        'change a setting, use nlp.get_pipe("gapdner").cfg after loading.'
    )
    # a setting with the saved value is not ignored
    overrides = {"threshold": 0.9, "disc_threshold": 0.6}
    with pytest.warns(UserWarning, match=re.escape(message)):
        loaded = spacy.load(tmp_path, config={"components": {"gapdner": overrides}})
    cfg = loaded.get_pipe("gapdner").cfg
    assert (cfg["threshold"], cfg["disc_threshold"]) == (0.7, 0.6)
