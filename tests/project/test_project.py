"""The project's workflows run from the first to the last command."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MODULES = ("__init__", "environment", "tables")


@pytest.fixture
def project(tmp_path):
    for name in ("configs", "project/benchmark", "project/scripts", "project/sentences"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("project.yml", *(f"project/{module}.py" for module in MODULES)):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(project: Path, workflow: str, **variables: object) -> str:
    command = [sys.executable, "-m", "spacy", "project", "run", workflow, "."]
    for name, value in variables.items():
        command += [f"--vars.{name}", str(value)]
    process = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_all(project):
    """A short training: enough to see that every command hands on what the next one needs."""
    printed = run(project, "all", n_train=100, max_steps=12)
    assert "Exact match" in printed
    scores = srsly.read_json(project / "project/metrics/sample.json")
    assert scores["docs"] == 400
    unseen = (project / "project/corpus/sample/unseen.txt").read_text().splitlines()
    assert all(sentence in printed for sentence in unseen)
    printed = run(project, "coordinations")
    assert " of 30 sentences wholly right: project/sentences/test.inline" in printed
    assert "prediction: nlp.pipe" in run(project, "benchmark", benchmark_limit=2)
    (measured,) = srsly.read_json(project / "project/metrics/benchmark.json")
    assert (measured["docs"], measured["threads"], measured["commit"]) == (2, 1, None)


def test_the_workflow_craft_says_what_is_missing(project):
    command = [sys.executable, "-m", "spacy", "project", "run", "craft", "."]
    process = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert process.returncode != 0
    assert "craft" in process.stderr
    assert "Traceback" not in process.stderr
