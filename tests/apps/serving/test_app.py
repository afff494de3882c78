import html
import json
import re
from io import BytesIO
from zipfile import ZipFile

import pytest
import spacy
from fastapi.testclient import TestClient
from odd_texts import ODD_TEXTS
from spacy.tokens.underscore import Underscore

from spacy_gapdner import __version__
from spacy_gapdner.apps.serving.app import create_app

TEXT = "severe joint and back pain"
PARTS = [{"start": 0, "end": 6, "text": "severe"}, {"start": 17, "end": 26, "text": "back pain"}]
ENTITY = {"label": "ADE", "text": "severe back pain", "start": 0, "end": 26, "fragments": PARTS}
ENTITY |= {"score": 0.75, "discontinuous": True}
RECORD = {"text": TEXT, "entities": [ENTITY]}


def with_entity(**values):
    return {**RECORD, "entities": [{**ENTITY, **values}]}


@pytest.fixture(scope="module")
def client(nlp, pipe):
    app = create_app(nlp, pipe, max_characters=1000, max_tokens=900)
    return TestClient(app, "http://localhost")


def test_predict(client):
    response = client.post("/predict", json={"text": TEXT})
    assert (response.status_code, response.json()) == (200, RECORD)
    response = client.post("/predict", json={"texts": [TEXT, "none", TEXT]})
    assert response.json() == [RECORD, {"text": "none", "entities": []}, RECORD]
    assert client.post("/predict", json={"texts": []}).json() == []
    for body in ({"text": TEXT, "texts": [TEXT]}, {}):
        (error,) = client.post("/predict", json=body).json()["detail"]
        assert error["msg"] == 'Value error, Use either "text" or "texts"'
    response = client.post("/predict", json={"text": TEXT, "threshold": 0.1})
    assert (response.status_code, response.json()["detail"][0]["loc"][1]) == (422, "threshold")
    plain = {"Content-Type": "text/plain"}
    response = client.post("/predict", content=json.dumps({"text": TEXT}), headers=plain)
    detail = "Send the header Content-Type: application/json."
    assert (response.status_code, response.json()["detail"]) == (415, detail)


def test_no_prediction_for_disconnected_clients(client, monkeypatch):
    async def is_disconnected(request):
        return True

    monkeypatch.setattr("fastapi.Request.is_disconnected", is_disconnected)
    monkeypatch.setattr("spacy_gapdner.apps.web.WorkThread.submit", None)
    assert client.post("/predict", json={"text": TEXT}).status_code == 499


def test_draw(client):
    assert 'title="ADE 0.75: severe … back pain"' in client.post("/draw", json=RECORD).text
    evil = {"text": "<script>", "entities": []}
    assert "<script" not in client.post("/draw", json=evil).text


def test_exports(client):
    record = with_entity(id="T7", kb_id="DB:1", attributes={"sure": True})
    assert client.post("/export/jsonl", json=record).json() == record
    lines = client.post("/export/csv", json=RECORD).text.splitlines()
    assert lines[1] == f"1,ADE,severe back pain,0,26,0 6;17 26,True,0.75,,{TEXT}"
    with ZipFile(BytesIO(client.post("/export/brat", json=RECORD).content)) as archive:
        assert sorted(archive.namelist()) == ["annotation.conf", "text.ann", "text.txt"]
        assert archive.read("text.ann").startswith(b"T1\tADE 0 6;17 26\tsevere back pain\n")


def test_pages(client, nlp, monkeypatch):
    for path in ("/", "/docs"):
        page = client.get(path)
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert "default-src 'none'" in page.text
        assert "blank &lt;1&gt;" in page.text
        # nothing is loaded from elsewhere
        assert not re.search("<link|src=", page.text)
    assert "default-src 'none'" in client.get("/health").headers["content-security-policy"]
    assert "></textarea>" in client.get("/").text
    monkeypatch.setitem(nlp.meta, "example", "Pain <1> joint.")
    assert ">Pain &lt;1&gt; joint.</textarea>" in client.get("/").text


def test_api_is_documented(client):
    page = html.unescape(client.get("/docs").text)
    api = client.get("/openapi.json").json()
    assert api["info"]["version"] == __version__
    for path in api["paths"]:
        assert path in page
    # every refusal and every field of the response is described
    for path in ("/predict", "/draw", "/export/{format}"):
        responses = api["paths"][path]["post"]["responses"]
        for status in ("413", "415", "422"):
            content = responses[status]["content"]["application/json"]
            assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
            assert f">{status}</td>" in page
            assert responses[status]["description"] in page
    for name in ("Prediction", "FoundEntity", "Fragment"):
        for field, schema in api["components"]["schemas"][name]["properties"].items():
            assert f"<code>{field}</code>" in page
            assert f">{schema['description']}</td>" in page
    assert ">array of FoundEntity</td>" in page
    assert ">number or null</td>" in page
    # the examples work
    pattern = r"curl http://localhost(/\S+) --json \\\n'(.+?)'"
    asked = re.findall(pattern, page, flags=re.DOTALL)
    assert len(asked) == 4
    for path, body in asked:
        assert client.post(path, json=json.loads(body)).status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/predict", {"text": "!" * 901}, 413, "tokens: 901. The limit is 900 (--max-tokens)."),
        ("/predict", {"text": "x" * 1001}, 413, "characters: 1001. The limit is 1000 (--max-ch"),
        ("/predict", {"text": " " * 1_100_000}, 413, "1100000 bytes. Send less text, or increase"),
        ("/predict", {"texts": ["x" * 600] * 2}, 413, "characters: 1200"),
        ("/predict", {"text": "\ud800"}, 422, None),
        ("/draw", with_entity(fragments=[{"start": 1, "end": 99}]), 422, "characters 1 to 99"),
        ("/export/pickle", RECORD, 422, None),
        ("/export/jsonl", with_entity(attributes={"n": 2**70}), 422, "Invalid attributes"),
        ("/export/brat", with_entity(label="Adverse event"), 422, "brat requires a label without"),
    ],
)
def test_invalid_requests(client, path, body, status, message):
    headers = {"Content-Type": "application/json"}
    response = client.post(path, content=json.dumps(body), headers=headers)
    assert response.status_code == status
    if message:
        assert message in response.json()["detail"]


@pytest.mark.parametrize("name", [name for name, text in ODD_TEXTS.items() if len(text) < 1000])
def test_odd_texts(client, name):
    text = ODD_TEXTS[name]
    response = client.post("/predict", json={"text": text})
    assert (response.status_code, response.json()["text"]) == (200, text)
    tokens = [token for token in spacy.blank("en")(text) if not token.is_space]
    if not tokens:
        return
    # offsets count code points in requests and responses
    last = tokens[-1]
    fragment = {"start": last.idx, "end": last.idx + len(last), "text": last.text}
    record = with_entity(discontinuous=False, **fragment, fragments=[fragment])
    record["text"] = text
    assert client.post("/export/jsonl", json=record).json() == record
    assert client.post("/draw", json=record).status_code == 200


@pytest.mark.parametrize("path", ["/predict", "/draw", "/export/csv"])
def test_words_of_a_text_are_not_kept(nlp, client, path):
    def size():
        # the length of the vocab also counts removed words
        words = sum(1 for _ in nlp.vocab), len(nlp.vocab.strings)
        return *words, len(Underscore.span_extensions)

    sizes = []
    for text in ("first", " ".join(f"{path[1:4]}word{i}" for i in range(60))):
        fragment = {"start": 0, "end": 5}
        entity = {"label": "ADR", "fragments": [fragment], "attributes": {text[-6:]: 1}}
        more = {} if path == "/predict" else {"entities": [entity]}
        assert client.post(path, json={"text": text, **more}).status_code == 200
        sizes.append(size())
    assert sizes[0] == sizes[1]
