from functools import cache

import pytest
from tiny_pipeline import trained_pipeline

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from fastapi.testclient import TestClient

from spacy_gapdner.analysis.pipes import find_pipe
from spacy_gapdner.annotate.app import create_app
from spacy_gapdner.annotate.checks import make_checker
from spacy_gapdner.annotate.guidelines import read_guidelines
from spacy_gapdner.annotate.proposals import Proposer
from spacy_gapdner.annotate.session import Session
from spacy_gapdner.annotate.store import Texts

TEXTS = {
    "a": "Severe joint and shoulder pain today .",
    "b": "He took aspirin twice .",
    "sub/c": "No complaints so far .",
}


english_checker = cache(make_checker)


def fill(folder, texts=TEXTS):
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


@pytest.fixture
def notes(tmp_path):
    """A folder of three texts."""
    return fill(tmp_path / "notes")


@pytest.fixture
def open_session(notes):
    """Opens the folder of texts, with labels ADR and Drug."""

    def open_it(folder=notes, **settings):
        settings = {"annotator": "Ann", **settings}
        labels = read_guidelines("ADR,Drug", [folder])
        return Session(Texts(folder), labels, english_checker(), **settings)

    return open_it


@pytest.fixture
def connect(open_session):
    """Connects to a server of the folder of texts."""

    def connect_to(session=None, token=None, **settings):
        app = create_app(session or open_session(**settings), token=token)
        return Client(TestClient(app, "http://localhost"))

    return connect_to


@pytest.fixture
def proposer():
    """A model that finds what the tiny pipeline has learned."""
    nlp = trained_pipeline()
    return Proposer("models/tiny", lambda name: (nlp, find_pipe(nlp)))


class Client:
    """What the page does."""

    def __init__(self, client):
        self.http = client

    def get(self, path, status=200, **kwargs):
        response = self.http.get(f"/api/{path}", **kwargs)
        assert response.status_code == status, response.text
        return response.json()

    def post(self, path, status=200):
        response = self.http.post(f"/api/{path}")
        assert response.status_code == status, response.text
        return response.json()

    def save(self, name, *entities, code=200, version=None, status="new", **kwargs):
        """Save (label, fragments) or (label, fragments, id)."""
        headers = kwargs.pop("headers", {})
        version = version or self.get(f"texts/{name}", headers=headers)["version"]
        sent = [dict(zip(("label", "fragments", "id"), e, strict=False)) for e in entities]
        body = {"version": version, "entities": sent, "status": status, **kwargs}
        response = self.http.put(f"/api/texts/{name}", json=body, headers=headers)
        assert response.status_code == code, response.text
        return response.json()
