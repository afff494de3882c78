from copy import deepcopy
from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from tiny_pipeline import ANNOTATED, gold_docs, model_config, trained_pipeline
from typer.testing import CliRunner

from spacy_gapdner.analysis import pipes
from spacy_gapdner.cli import app


@pytest.fixture(scope="session")
def tiny_config():
    return {"model": model_config()}


@pytest.fixture(scope="session")
def tiny():
    return trained_pipeline()


@pytest.fixture(scope="session")
def model(tiny, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny"
    tiny.max_length = 10**9
    tiny.to_disk(path)
    return path


@pytest.fixture(autouse=True)
def loaded_once(monkeypatch, tiny, model):
    """Commands get the shared pipeline as it is on disk, without loading it again."""
    pipe, load = tiny.get_pipe("gapdner"), pipes.load_model
    own = deepcopy(pipe.cfg)

    def find(path):
        if Path(path) != model:
            return load(path)
        pipe.cfg.update(deepcopy(own))
        return tiny

    monkeypatch.setattr(pipes, "load_model", find)
    yield
    pipe.cfg.update(own)


@pytest.fixture
def write_docs(tmp_path):
    """Writes sentences with entities to a .spacy file and returns its path."""

    def write(name="gold.spacy", annotated=ANNOTATED, key="gapdner"):
        DocBin(docs=gold_docs(Vocab(), annotated, key)).to_disk(tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture
def run():
    """Runs a gapdner command."""

    def invoke(*args, **kwargs):
        return CliRunner().invoke(app, [str(arg) for arg in args], **kwargs)

    return invoke


@pytest.fixture
def fails(run):
    """Runs a command that must end with one line on stderr and nothing on stdout."""

    def invoke(message, *args, **kwargs):
        result = run(*args, **kwargs)
        assert result.exit_code == 1, result.output
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr

    return invoke
