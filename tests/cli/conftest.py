from copy import deepcopy
from pathlib import Path

import pytest
import uvicorn
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from tiny_pipeline import ANNOTATED, gold_docs, trained_pipeline
from typer.testing import CliRunner

from spacy_gapdner.cli import app
from spacy_gapdner.inference import loading as pipes


@pytest.fixture(scope="session")
def tiny():
    nlp = trained_pipeline()
    nlp.max_length = 10**9
    return nlp


@pytest.fixture(autouse=True)
def loaded_once(monkeypatch, tiny, model):
    """Commands use the shared pipeline, with the settings on disk, instead of loading it."""
    pipe, load = tiny.get_pipe("gapdner"), pipes.load_model
    own, meta = deepcopy(pipe.cfg), deepcopy(tiny.meta)

    def find(path):
        if Path(path) != model:
            return load(path)
        pipe.cfg.update(deepcopy(own))
        return tiny

    monkeypatch.setattr(pipes, "load_model", find)
    yield
    pipe.cfg.update(own)
    # tune changes the scores
    tiny.meta = meta


@pytest.fixture
def write_docs(tmp_path):
    """Writes sentences with entities to a .spacy file and returns its path."""

    def write(name="gold.spacy", annotated=ANNOTATED, key="gapdner"):
        DocBin(docs=gold_docs(Vocab(), annotated, key)).to_disk(tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture
def write_brat(write):
    """Writes texts with annotation files to a folder and returns its path."""

    def write_pairs(folder="data", **documents):
        for name, (text, annotation) in documents.items():
            write({f"{folder}/{name}.txt": text, f"{folder}/{name}.ann": annotation})
        return write({}) / folder

    return write_pairs


@pytest.fixture
def run():
    """Runs a gapdner command and checks its exit code."""

    def invoke(*args, code=0, **kwargs):
        result = CliRunner().invoke(app, [str(arg) for arg in args], **kwargs)
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def fails(run):
    """Runs a command that must fail with one line on stderr and nothing on stdout."""

    def invoke(message, *args, **kwargs):
        result = run(*args, code=1, **kwargs)
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr

    return invoke


@pytest.fixture
def serve(run, monkeypatch):
    """Runs serve or annotate. Returns the application and the printed lines."""
    seen = []

    class Server:
        def __init__(self, config):
            seen.append(config.app)

        def run(self, sockets):
            for listener in sockets:
                listener.close()

    def invoke(*args):
        output = run(*args, "--port", 0).output
        return seen.pop(), output.splitlines()

    monkeypatch.setattr(uvicorn, "Server", Server)
    return invoke
