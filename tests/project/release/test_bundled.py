"""The pipeline in project/assets works with this version of the package."""

import re
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import spacy
import srsly
from packaging.requirements import Requirement
from weasel.cli.run import load_project_config

import spacy_gapdner
from project.release.wheel import code_and_output
from spacy_gapdner.formats import convert

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "project" / "assets"
REBUILD = "Build the pipeline again: python -m spacy project run release --force"


def test_wheel():
    version = load_project_config(ROOT)["vars"]["release_version"]
    name = f"en_gapdner_trials_sm-{version}-py3-none-any.whl"
    (wheel,) = ASSETS.glob("*.whl")
    assert wheel.name == name
    assert wheel.stat().st_size <= 5e6
    assert f"project/assets/{name}" in (ROOT / "README.md").read_text("utf8")
    files = zipfile.ZipFile(wheel)
    (metadata,) = (file for file in files.namelist() if file.endswith("/METADATA"))
    headers = message_from_string(files.read(metadata).decode("utf8"))
    requirements = map(Requirement, headers.get_all("Requires-Dist"))
    (required,) = (r for r in requirements if r.name == "spacy-gapdner")
    assert spacy_gapdner.__version__ in required.specifier, REBUILD


@pytest.mark.usefixtures("trials")
def test_output_of_card(capsys):
    code, output = code_and_output(ASSETS / "en_gapdner_trials_sm.md")
    try:
        exec(code, {})
    except Exception as error:
        pytest.fail(f"{REBUILD} ({error})")
    assert capsys.readouterr().out == output, REBUILD


@pytest.mark.slow
def test_scores_of_card(trials, tmp_path):
    nlp = spacy.load(trials)
    with tarfile.open(ASSETS / "chia.tar.xz") as trials_of_chia:
        # Python 3.11.3 and earlier have no filters
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        trials_of_chia.extractall(tmp_path, **safe)
    convert(tmp_path / "dev", tmp_path / "test.spacy", types=nlp.get_pipe("gapdner").labels)
    scores = spacy_gapdner.evaluate(nlp, spacy_gapdner.read(tmp_path / "test.spacy"))
    for name, score in nlp.meta["performance"].items():
        assert scores[name] == pytest.approx(score, abs=0.005), REBUILD
    card = (ASSETS / "en_gapdner_trials_sm.md").read_text("utf8")
    (front_matter,) = srsly.yaml_loads(card.split("---\n")[1])["model-index"]
    (first, *_) = front_matter["results"][0]["metrics"]
    assert scores["spans_gapdner_f"] == pytest.approx(first["value"], abs=0.005), REBUILD
    listed = re.findall(r"^\| `(\w+)` ", card, re.MULTILINE)
    assert sorted(listed) == sorted(nlp.get_pipe("gapdner").labels)
