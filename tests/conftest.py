import os

# before torch is imported, and for subprocesses: threads are slow on shared cores
os.environ.setdefault("OMP_NUM_THREADS", "1")
# tests do not download models
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import zipfile
from pathlib import Path

import pytest
import torch
from hypothesis import settings

# examples can be slow on shared machines
settings.register_profile("spacy_gapdner", deadline=None, max_examples=40)
settings.load_profile("spacy_gapdner")


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def nlp():
    from spacy_gapdner.formats import blank_pipeline

    return blank_pipeline("en")


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The folder of a pipeline that finds the entities of ANNOTATED."""
    from tiny_pipeline import trained_pipeline

    path = tmp_path_factory.mktemp("models") / "tiny"
    trained_pipeline().to_disk(path)
    return path


@pytest.fixture(scope="session")
def _unpacked_wheel(tmp_path_factory):
    (wheel,) = (Path(__file__).parents[1] / "project" / "assets").glob("*.whl")
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(site)
    return site


@pytest.fixture
def trials(_unpacked_wheel, monkeypatch):
    """The bundled pipeline is installed. Returns its name."""
    monkeypatch.syspath_prepend(_unpacked_wheel)
    return "en_gapdner_trials_sm"


@pytest.fixture
def report():
    from spacy_gapdner.formats import Report

    return Report()


@pytest.fixture
def write(tmp_path):
    """Writes files given by name and returns their folder."""

    def write_files(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return tmp_path

    return write_files


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium without a window."""
    from chromium import open_browser

    with open_browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser
