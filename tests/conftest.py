import os
import subprocess
import sys
from pathlib import Path

# before torch is imported, and for subprocesses: threads are slow on shared cores
os.environ.setdefault("OMP_NUM_THREADS", "1")
# tests do not download models
os.environ.setdefault("HF_HUB_OFFLINE", "1")

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


@pytest.fixture(scope="session")
def run_python():
    """Runs Python in the folder of the tests and returns what it prints."""

    def run(*arguments, **environment):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=Path(__file__).parent,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium without a window."""
    from chromium import open_browser

    with open_browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture(scope="session")
def plain():
    """Turns the entities of a Doc into comparable values."""
    from spacy_gapdner import get_entities

    return lambda doc: [(e.label_, e.to_entity().fragments) for e in get_entities(doc)]


@pytest.fixture
def assert_same():
    """Compare two results, and their gradients by the given tensors."""

    def compare(actual, expected, tensors, atol=1e-10):
        torch.testing.assert_close(actual, expected, rtol=0, atol=atol)
        weights = torch.randn_like(expected)
        gradients = [
            torch.autograd.grad((result * weights).sum(), tensors, materialize_grads=True)
            for result in (actual, expected)
        ]
        assert any(gradient.abs().max() > 1e-3 for gradient in gradients[1])
        for gradient, expected_gradient in zip(*gradients, strict=True):
            torch.testing.assert_close(gradient, expected_gradient, rtol=0, atol=atol)

    return compare
