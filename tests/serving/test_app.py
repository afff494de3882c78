"""The web application: what it answers, and what it refuses."""

import html
import json
import re
import threading
from io import BytesIO
from zipfile import ZipFile

import pytest
import spacy
from odd_texts import ODD_TEXTS
from spacy.language import Language
from spacy.tokens import Doc

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from fastapi.testclient import TestClient

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.serving.app import create_app

TEXT = "severe joint and back pain"
RECORD = {
    "text": TEXT,
    "entities": [
        {
            "label": "ADE",
            "text": "severe back pain",
            "start": 0,
            "end": 26,
            "fragments": [
                {"start": 0, "end": 6, "text": "severe"},
                {"start": 17, "end": 26, "text": "back pain"},
            ],
            "score": 0.75,
            "discontinuous": True,
        },
    ],
}


@pytest.fixture(scope="module")
def client(nlp):
    app = create_app(nlp, "gapdner", name="blank <1>", max_characters=1000, max_tokens=900)
    return TestClient(app, "http://localhost")


def test_predict(client):
    response = client.post("/predict", json={"text": TEXT})
    assert (response.status_code, response.json()) == (200, RECORD)


def test_draw(client):
    assert 'title="ADE 0.75: severe … back pain"' in client.post("/draw", json=RECORD).text
    evil = {"text": "<script>", "entities": []}
    assert "<script" not in client.post("/draw", json=evil).text


def test_what_entities_carry_is_kept(client):
    entity = {**RECORD["entities"][0], "id": "T7", "kb_id": "DB:1", "attributes": {"sure": True}}
    record = {**RECORD, "entities": [entity]}
    assert client.post("/export/jsonl", json=record).json() == record
    entity["attributes"] = {"number": 2**70}
    assert client.post("/export/jsonl", json=record).status_code == 422


def test_exports(client):
    lines = client.post("/export/csv", json=RECORD).text.splitlines()
    assert lines[1] == f"1,ADE,severe back pain,0,26,0 6;17 26,True,0.75,,{TEXT}"
    with ZipFile(BytesIO(client.post("/export/brat", json=RECORD).content)) as archive:
        assert archive.namelist() == ["annotation.conf", "text.ann", "text.txt"]
        assert archive.read("text.ann").startswith(b"T1\tADE 0 6;17 26\tsevere back pain\n")


def test_several_texts(client):
    response = client.post("/predict", json={"texts": [TEXT, "none", TEXT]})
    assert response.json() == [RECORD, {"text": "none", "entities": []}, RECORD]
    assert client.post("/predict", json={"texts": []}).json() == []
    long = client.post("/predict", json={"texts": ["x" * 600] * 2})
    assert (long.status_code, "characters: 1200" in long.json()["detail"]) == (413, True)


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_the_pages(client, path):
    page = client.get(path)
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "default-src 'none'" in page.text
    assert "blank &lt;1&gt;" in page.text
    # nothing is loaded from elsewhere
    assert not re.search("<link|src=", page.text)


def test_the_api_is_documented(client):
    page = html.unescape(client.get("/docs").text)
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page
    # the examples work
    pattern = r"curl http://localhost(/\S+) --json \\\n'(.+?)'"
    asked = re.findall(pattern, page, flags=re.DOTALL)
    assert len(asked) == 4
    for path, body in asked:
        assert client.post(path, json=json.loads(body)).status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/predict", {"text": "!" * 901}, 413, "tokens: 901"),
        ("/predict", {"text": "x" * 1001}, 413, "characters: 1001"),
        ("/predict", {}, 422, None),
        (
            "/draw",
            {"text": "ab", "entities": [{"label": "A", "fragments": [{"start": 1, "end": 9}]}]},
            422,
            "characters 1 to 9",
        ),
        ("/export/pickle", {"text": "ab", "entities": []}, 422, None),
    ],
)
def test_bad_requests(client, path, body, status, message):
    response = client.post(path, json=body)
    assert response.status_code == status
    if message:
        assert message in response.json()["detail"]


def test_brat_cannot_have_every_label(client):
    body = {**RECORD, "entities": [{**RECORD["entities"][0], "label": "Adverse event"}]}
    response = client.post("/export/brat", json=body)
    assert response.status_code == 422
    assert "brat does not allow the label 'Adverse event'" in response.json()["detail"]
    assert client.post("/export/csv", json=body).status_code == 200


def test_a_pipeline_that_fails_is_no_fault_of_the_text():
    nlp = spacy.blank("en")

    @Language.component("broken_for_test")
    def fail(doc: Doc) -> Doc:
        raise GapDNERError("its weights are broken")

    nlp.add_pipe("broken_for_test")
    app = create_app(nlp, "gapdner")
    client = TestClient(app, "http://localhost", raise_server_exceptions=False)
    assert client.post("/predict", json={"text": "a"}).status_code == 500
    assert client.post("/export/csv", json={"text": "a", "entities": []}).status_code == 200


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_odd_texts(client, name):
    text = ODD_TEXTS[name]
    response = client.post("/predict", json={"text": text})
    if len(text) > 1000:
        assert response.status_code == 413
        return
    assert (response.status_code, response.json()["text"]) == (200, text)
    tokens = [token for token in spacy.blank("en")(text) if not token.is_space]
    if not tokens:
        return
    # characters are code points on the way there and back
    last = tokens[-1]
    fragment = {"start": last.idx, "end": last.idx + len(last), "text": last.text}
    entity = {"label": "ADE", "score": 0.5, "discontinuous": False, **fragment}
    record = {"text": text, "entities": [{**entity, "fragments": [fragment]}]}
    assert client.post("/export/jsonl", json=record).json() == record
    assert client.post("/draw", json=record).status_code == 200
    with ZipFile(BytesIO(client.post("/export/brat", json=record).content)) as archive:
        assert archive.read("text.txt").decode("utf-8") == text
        place = f"{last.idx} {last.idx + len(last)}"
        assert archive.read("text.ann").decode("utf-8").startswith(f"T1\tADE {place}\t")


def test_more_requests_than_may_wait_are_told_so():
    entered, leave = threading.Event(), threading.Event()
    nlp = spacy.blank("en")

    @Language.component("wait_for_test")
    def wait(doc: Doc) -> Doc:
        entered.set()
        assert leave.wait(30)
        return doc

    nlp.add_pipe("wait_for_test")
    client = TestClient(create_app(nlp, "gapdner", max_waiting=1), "http://localhost")
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(client.post("/predict", json={"text": "a"}).status_code)
    )
    thread.start()
    assert entered.wait(30)
    busy = client.post("/predict", json={"text": "b"})
    leave.set()
    thread.join(30)
    assert (busy.status_code, answers) == (503, [200])
    assert "Too many requests" in busy.json()["detail"]


def test_the_pipeline_stays_in_one_thread():
    # each thread that it ever ran in would keep memory of its own
    threads, start = [], threading.Barrier(3)
    nlp = spacy.blank("en")

    @Language.component("note_thread")
    def note(doc: Doc) -> Doc:
        threads.append(threading.get_ident())
        return doc

    nlp.add_pipe("note_thread")
    with TestClient(create_app(nlp, "gapdner"), "http://localhost") as client:

        def ask():
            start.wait(30)
            client.post("/predict", json={"text": "a"})

        asking = [threading.Thread(target=ask) for _ in range(3)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join(30)
    assert len(threads) == 3
    assert len(set(threads)) == 1


@pytest.mark.parametrize("path", ["/predict", "/draw", "/export/csv"])
def test_the_words_of_a_text_are_forgotten(nlp, client, path):
    def size():
        # the vocab's own length counts what is gone
        return sum(1 for _ in nlp.vocab), len(nlp.vocab.strings)

    assert client.post(path, json={"text": "first", "entities": []}).status_code == 200
    before = size()
    unseen = " ".join(f"{path[1:4]}word{i}" for i in range(60))
    assert client.post(path, json={"text": unseen, "entities": []}).status_code == 200
    assert size() == before
