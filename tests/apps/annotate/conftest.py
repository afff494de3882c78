from functools import cache, partial

import pytest
from fastapi.testclient import TestClient
from tiny_pipeline import trained_pipeline

from spacy_gapdner.apps.annotate.app import create_app
from spacy_gapdner.apps.annotate.guidelines import read_guidelines
from spacy_gapdner.apps.annotate.proposals import Proposer
from spacy_gapdner.apps.annotate.segmented_texts import Checker
from spacy_gapdner.apps.annotate.session import Session
from spacy_gapdner.apps.annotate.store import Texts
from spacy_gapdner.components.sentencizer import blank_pipeline
from spacy_gapdner.inference.loading import find_pipe

TEXTS = {
    "a": "Severe joint and shoulder pain today .",
    "b": "He took aspirin twice .",
    "sub/c": "No complaints so far .",
}

english_checker = cache(lambda: Checker(blank_pipeline()))


@pytest.fixture
def notes(write):
    """A folder of three texts."""
    return write({f"notes/{name}.txt": text for name, text in TEXTS.items()}) / "notes"


@pytest.fixture
def connect(notes):
    """Connects to a server of the folder of texts, with labels ADR and Drug."""

    def connect_to(folder=notes, token=None, labels="ADR,Drug", **settings):
        settings = {"annotator": "Ann", **settings}
        labels = read_guidelines(labels, [folder])
        session = Session(Texts(folder), labels, english_checker(), **settings)
        return Client(TestClient(create_app(session, token=token), "http://localhost"))

    return connect_to


@pytest.fixture
def proposer():
    """A model that finds the entities of the tiny pipeline."""
    nlp = trained_pipeline()
    return Proposer("models/tiny", lambda name: (nlp, find_pipe(nlp)))


class Client:
    """Sends the requests of the page."""

    def __init__(self, client):
        self.http = client
        self.get, self.post = partial(self.ask, "GET"), partial(self.ask, "POST")

    def ask(self, method, path, status=200, **kwargs):
        response = self.http.request(method, f"/api/{path}", **kwargs)
        assert response.status_code == status, response.text
        return response.json()

    def save(self, name, *entities, code=200, version=None, status="new", headers=None, **kwargs):
        """Save (label, fragments) or (label, fragments, id)."""
        version = version or self.get(f"texts/{name}", headers=headers)["version"]
        sent = [dict(zip(("label", "fragments", "id"), e, strict=False)) for e in entities]
        body = {"version": version, "entities": sent, "status": status, **kwargs}
        return self.ask("PUT", f"texts/{name}", code, json=body, headers=headers)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Serves the page of a folder."""
    from annotation_page import TEXT, Server

    folder = tmp_path_factory.mktemp("notes")
    (folder / "first.txt").write_text(TEXT)
    server = Server(folder)
    yield server
    server.kill()


@pytest.fixture
def page(browser, server, request):
    """The page with a text named after the test."""
    from annotation_page import Page

    page = Page(browser, server, request.node.name.split("[")[0])
    yield page
    # settings of the page
    where = {"origin": page.address, "storageTypes": "local_storage"}
    browser.execute_cdp_cmd("Storage.clearDataForOrigin", where)
