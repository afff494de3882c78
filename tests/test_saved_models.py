"""What every version has saved loads in this one and predicts as it did.

saved_models/make.py says how the pipelines are made.
"""

import importlib.util
import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import spacy

import spacy_gapdner
from spacy_gapdner import get_entities

FOLDER = Path(__file__).parent / "saved_models"
CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
PIPELINES = sorted(
    path.parent.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*/meta.json")
)


@cache
def load_expected(version):
    return json.loads((FOLDER / version / "expected.json").read_text(encoding="utf8"))


def check(nlp, expected, same_scores):
    pipe = nlp.get_pipe("gapdner")
    for case in expected:
        doc = nlp(case["text"])
        grids = pipe.model.predict(([doc], pipe.segments([doc])))
        assert len(grids) == len(case["grids"])
        for grid, saved in zip(grids, case["grids"], strict=True):
            # the files have four decimals
            np.testing.assert_allclose(grid, np.array(saved, dtype="f"), rtol=1e-5, atol=1e-4)
        found = {(e.label_, e.token_indices): e.score for e in get_entities(doc)}
        saved = {(label, tuple(tokens)): score for label, tokens, score in case["entities"]}
        assert set(found) == set(saved)
        if same_scores:
            assert found == pytest.approx(saved, abs=1e-4)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_saved_pipeline_loads_and_predicts_as_it_did(pipeline, tmp_path):
    version, name = pipeline.split("/")
    expected = load_expected(version)[name]
    nlp = spacy.load(FOLDER / pipeline)
    # up to 0.3 the score was the mean of the cells, now it is the weakest; the entities are the
    # same, as the threshold was 0
    scored_by_mean = version in ("0.1.0", "0.2.0", "0.3.0")
    check(nlp, expected, same_scores=not scored_by_mean)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    check(again, expected, same_scores=not scored_by_mean)
    if scored_by_mean:
        again.get_pipe("gapdner").entity_score = "mean"
        check(again, expected, same_scores=True)


def test_every_version_is_there():
    released = set(re.findall(r"^## (\d\S*)$", CHANGELOG.read_text(encoding="utf8"), re.MULTILINE))
    assert spacy_gapdner.__version__ in released
    assert {pipeline.split("/")[0] for pipeline in PIPELINES} == released, (
        "run tests/saved_models/make.py"
    )
    for version in released:
        saved = load_expected(version)
        assert {f"{version}/{name}" for name in saved} == {
            pipeline for pipeline in PIPELINES if pipeline.startswith(f"{version}/")
        }
        assert any(case["entities"] for cases in saved.values() for case in cases)


def test_settings_and_calibration_that_were_saved():
    pipe = spacy.load(FOLDER / "0.4.0" / "cpu").get_pipe("gapdner")
    assert (pipe.threshold, pipe.max_length, pipe.stride) == (0.125, 64, 32)
    assert pipe.type_thresholds == {"Drug": 0.0625}
    assert pipe.calibration.contiguous.slope == 0.75


@pytest.mark.slow
def test_this_version_can_be_saved(tmp_path):
    spec = importlib.util.spec_from_file_location("make", FOLDER / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    make.make(tmp_path)
    saved = json.loads((tmp_path / "expected.json").read_text(encoding="utf8"))
    assert set(saved) == set(make.KINDS) == set(load_expected(spacy_gapdner.__version__))
    for name, expected in saved.items():
        check(spacy.load(tmp_path / name), expected, same_scores=True)
