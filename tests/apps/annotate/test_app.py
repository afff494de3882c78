"""The responses of the server, and the files that it writes."""

import asyncio
import json

import pytest

TEXT = "Severe joint and shoulder pain today ."
JOINT = ("ADR", [[0, 12], [26, 30]])
SHOULDER = ("ADR", [[0, 6], [17, 30]])
JSON = {"Content-Type": "application/json"}
REJECTED = {"label": "Drug", "fragments": [[7, 12]], "id": None}


def test_text_without_annotation(connect, notes):
    client = connect()
    project = client.get("project")
    labels = project.pop("labels")
    assert [(label["name"], label["key"]) for label in labels] == [("ADR", "1"), ("Drug", "2")]
    expected = {"name": "notes", "annotator": "Ann", "shared": False, "order": "files"}
    assert project == {**expected, "orders": ["files", "random"], "writes": str(notes)}
    text = client.get("texts/a")
    assert text.pop("version")
    tokens = [[0, 6], [7, 12], [13, 16], [17, 25], [26, 30], [31, 36], [37, 38]]
    expected = {"id": "a", "text": TEXT, "status": "new", "entities": [], "rejected": []}
    expected["n_hidden"] = 0
    assert text == {**expected, "tokens": tokens, "sentences": [[0, 38]]}
    assert not (notes / "a.ann").exists()
    assert client.post("texts/a/proposals") == []
    assert "no model" in client.post("train", 422)["detail"]


def test_entities_are_saved_in_brat_format(connect, notes):
    client = connect()
    answer = client.save("a", SHOULDER, JOINT)
    assert answer["removed"] == []
    assert answer["entities"] == [
        {"id": "T1", "label": "ADR", "fragments": SHOULDER[1], "notes": [], "warnings": []},
        {"id": "T2", "label": "ADR", "fragments": JOINT[1], "notes": [], "warnings": []},
    ]
    lines = b"T1\tADR 0 6;17 30\tSevere shoulder pain\nT2\tADR 0 12;26 30\tSevere joint pain\n"
    assert (notes / "a.ann").read_bytes() == lines
    text = client.get("texts/a")
    assert (text["entities"], text["version"]) == (answer["entities"], answer["version"])
    assert [path.name for path in notes.iterdir() if path.name.startswith(".gapdner-")] == []
    # undo restores deleted entities with their notes
    (notes / "a.ann").write_text("T1\tADR 0 6;17 30\tSevere shoulder pain\nA1\tSure T1\n")
    assert client.get("texts/a")["entities"][0]["notes"] == ["Sure T1"]
    assert client.save("a")["removed"] == ["A1\tSure T1"]
    assert client.save("a", (*SHOULDER, "T1"))["entities"][0]["notes"] == ["Sure T1"]
    # a file without entities is only created if the text is done
    for status in ("doubtful", "done"):
        client.save("b", status=status)
        assert (notes / "b.ann").exists() == (status == "done")


def test_changes_by_others_are_not_overwritten(connect, notes):
    client = connect()
    version = client.get("texts/a")["version"]
    theirs = b"T1\tDrug 7 12\tjoint\n"
    (notes / "a.ann").write_bytes(theirs)
    answer = client.save("a", SHOULDER, version=version, code=409)
    assert "changed by someone else" in answer["detail"]
    assert answer["current"] == client.get("texts/a")
    assert (notes / "a.ann").read_bytes() == theirs
    for change in (
        lambda: client.save("a", ("Drug", [[7, 12]], "T1"), status="skipped"),
        lambda: (notes / "a.txt").write_text(TEXT + " And more ."),
        lambda: (notes / "a.ann").unlink(),
    ):
        version = client.get("texts/a")["version"]
        change()
        client.save("a", SHOULDER, version=version, code=409)


def test_list_of_texts_and_progress(connect, notes):
    client = connect()
    files = client.get("texts")["texts"]
    assert [text["id"] for text in files] == ["a", "b", "sub/c"]
    assert client.get("search?words=took%20%0AASPIRIN%20") == ["b"]
    # composed and decomposed letters are the same
    (notes / "b.txt").write_text("He took aspirin o\u0301seo .")
    assert client.get("search?words=\u00d3SEO") == ["b"]
    shuffled = client.get("texts?order=random")["texts"]
    assert sorted(shuffled, key=lambda text: text["id"]) == files
    # a text that was added later
    (notes / "new text\n#1.txt").write_text("Fever .")
    assert client.get("texts/new%20text%5Cn%231")["text"] == "Fever ."
    client.save("a", SHOULDER, status="done", rejected=[REJECTED])
    client.save("b", status="skipped")
    # another server, later
    client = connect(annotator="Ben")
    statuses = {text["id"]: text["status"] for text in client.get("texts")["texts"]}
    assert statuses == {"a": "done", "b": "skipped", r"new text\n#1": "new", "sub/c": "new"}
    assert client.get("texts/a")["rejected"] == [REJECTED]
    state = client.get("state")
    assert [state[key] for key in ("done", "total", "done_since", "model")] == [1, 4, 1, None]
    client.save("a", (*SHOULDER, "T1"), status="new")
    assert client.get("state")["done"] == 0
    lines = (notes / ".gapdner" / "annotate.jsonl").read_text().splitlines()
    assert [json.loads(line)["annotator"] for line in lines] == ["Ann", "Ann", "Ben"]


def test_warnings(connect, notes):
    (notes / "b.txt").write_text("Pain here. And there. " + "word " * 130)
    (notes / "b.ann").write_text("T1\tWeird 0 4\tGain\n")
    places = [[0, 2]], [[0, 4], [15, 20]], [[22, 26], [667, 671]]
    entities = [("ADR", place) for place in places]
    answer = connect().save("b", *entities, ("Weird", [[0, 4]], "T1"))
    assert [entity["warnings"] for entity in answer["entities"]] == [
        ["cut inside a token: 'Pa' of 'Pain'"],
        ["crosses a sentence boundary"],
        ["longer than max_length"],
        ["the file contains the text 'Gain'", "Weird is not one of the types"],
    ]
    # outside the text, and with a repeated id
    (notes / "b.ann").write_text("T1\tADR 900 904\tgone\nT2\tADR 0 4\tPain\nT2\tADR 11 16\tthere\n")
    text = connect().get("texts/b")
    assert (text["n_hidden"], len(text["entities"])) == (2, 1)


def test_unreadable_texts(connect, notes):
    (notes.parent / "secret.txt").write_text("secret")
    (notes / "latin.txt").write_bytes(b"caf\xe9")
    (notes / "b.ann").write_bytes(b"T1\tADR 0 2\t\xe9\n")
    (notes / "link.txt").symlink_to(notes.parent / "secret.txt")
    (notes / "sub" / "c.ann").symlink_to(notes.parent / "secret.txt")
    client = connect()
    for name in ("..%2Fsecret", "%2Fetc%2Fpasswd"):
        assert "Text not found" in client.get(f"texts/{name}", 404)["detail"]
    for name, message in {
        "latin": "latin.txt is not UTF-8",
        "b": "b.ann is not UTF-8",
        "link": "link.txt is a link to a file outside",
        "sub/c": "c.ann is a link to a file outside",
    }.items():
        assert message in client.get(f"texts/{name}", 422)["detail"]
    assert client.get("search?words=secret") == client.get("search?words=caf") == []
    begins = [text["begin"] for text in client.get("texts")["texts"]]
    # no content of other files is shown
    assert begins == [TEXT, "He took aspirin twice .", "", "", "No complaints so far ."]


def test_invalid_entities_and_full_disk(connect, notes, monkeypatch):
    def refuse(*args):
        raise OSError(28, "No space left on device", ".gapdner-32krpxha")

    client = connect()
    body = {"version": client.get("texts/a")["version"], "status": "new"}
    for label, fragment in {"ADR": [0, 99], "A": ["0", "x"], "ADR\ud800": [0, 6]}.items():
        body["entities"] = [{"label": label, "fragments": [fragment]}]
        client.ask("PUT", "texts/a", 422, content=json.dumps(body), headers=JSON)
    monkeypatch.setattr("spacy_gapdner.formats.outputs.os.replace", refuse)
    assert client.save("a", SHOULDER, code=500)["detail"] == "No space left on device"
    assert not (notes / "a.ann").exists()


@pytest.mark.parametrize(("token", "status", "most"), [(b"other", 401, 0), (b"secret", 413, 1)])
def test_large_bodies_are_not_read(connect, token, status, most):
    read, sent = [], []

    async def receive():
        read.append(1_000_000)
        return {"type": "http.request", "body": b" " * read[-1], "more_body": len(read) < 100}

    async def send(message):
        sent.append(message)

    app = connect(token="secret").http.app
    asyncio.run(app(put((b"x-token", token)), receive, send))
    assert sent[0]["status"] == status
    assert sum(read) <= (most + 1) * 1_000_000


def put(*headers):
    scope = {"type": "http", "method": "PUT", "path": "/api/texts/a", "query_string": b""}
    return {**scope, "headers": [(b"host", b"localhost"), *headers]}


def test_aborted_upload_is_reported_in_one_line(connect, notes, caplog):
    messages = [
        {"type": "http.request", "body": b'{"entities": [', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive():
        return messages.pop(0)

    async def send(message):
        pass

    asyncio.run(connect().http.app(put(), receive, send))
    message = "PUT /api/texts/a was aborted by the client and is ignored."
    assert [record.getMessage() for record in caplog.records] == [message]
    assert not (notes / "a.ann").exists()


def test_number_of_entities(connect, notes):
    (notes / "a.txt").write_text("ab " * 4_000)
    client = connect()
    answer = client.save("a", *(("ADR", [[i, i + 2]]) for i in range(0, 12_000, 3)))
    assert len(answer["entities"]) == 4_000
    before = (notes / "a.ann").read_bytes()
    marks = (("ADR", [[i, i + 2]]) for i in range(40_000))
    assert "Split the text" in client.save("a", *marks, code=413)["detail"]
    assert (notes / "a.ann").read_bytes() == before


def test_phrases(connect, notes):
    (notes / "a.ann").write_text("T1\tADR 0 6;17 30\tSevere shoulder pain\r\nA1\tSure T1\n")
    (notes / "b.ann").write_text("T1\tADR 0 2\tHe\nT2\tDrug 0 2\tHe\n")
    (notes / "sub" / "c.ann").write_bytes(b"T1\tADR 0 2\t\xe9\n")
    assert connect().get("phrases") == {"Severe shoulder pain": 1, "He": 2}


def test_access(connect):
    client = connect(token="secret")
    assert client.get("state", 401)["detail"] == "The token in the address is missing or incorrect."
    client.get("state", 401, headers={"X-Token": "other"})
    client.get("state", headers={"X-Token": "secret"})
    client.get("state", 403, headers={"X-Token": "secret", "Sec-Fetch-Site": "cross-site"})
    # browsers that do not send Sec-Fetch-Site
    client.http.headers["X-Token"] = "secret"
    for origin in ("http://evil.example", "http://localhost:5001", "null"):
        for path in ("back", "train"):
            client.post(path, 403, headers={"Origin": origin})
    client.post("train", 422, headers={"Origin": "http://localhost"})
    # behind a proxy that changes the host
    both = {"Origin": "https://notes.example", "Sec-Fetch-Site": "same-origin"}
    client.post("train", 422, headers=both)
    del client.http.headers["X-Token"]
    assert client.http.get("http://evil.example/api/state").status_code == 400
    # the page itself is not secret
    page = client.http.get("/")
    assert page.status_code == client.http.get("/page.css").status_code == 200
    assert "default-src 'none'; script-src 'self'" in page.text
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert client.http.get("/style.css").headers["cache-control"] == "no-store"


def test_shared_folder(connect, notes):
    client = connect(shared=True)
    assert client.get("project")["annotator"] == ""
    assert "Invalid name" in client.get("texts", 422)["detail"]
    client.get("texts", 422, headers={"X-Annotator": "../up"})
    # 64 characters of four bytes
    long = {"X-Annotator": "%F0%90%8D%88" * 64}
    assert "Use a shorter name" in client.get("state", 422, headers=long)["detail"]
    (notes / ".annotators").mkdir()
    (notes / ".annotators" / "Eve").symlink_to(notes.parent)
    client.get("texts", 422, headers={"X-Annotator": "Eve"})
    ann, jose = ({"X-Annotator": name} for name in ("Ann", "Jos%C3%A9"))
    client.save("sub/c", ("ADR", [[3, 13]]), headers=ann, status="done")
    assert client.get("texts/sub/c", headers=jose)["entities"] == []
    client.save("sub/c", ("Drug", [[3, 13]]), headers=jose)
    own = notes / ".annotators" / "José" / "sub"
    assert (own / "c.ann").read_text() == "T1\tDrug 3 13\tcomplaints\n"
    assert (own / "c.txt").read_bytes() == (notes / "sub" / "c.txt").read_bytes()
    assert not (notes / "sub" / "c.ann").exists()
    assert [client.get("state", headers=who)["done"] for who in (ann, jose)] == [1, 0]
    assert client.get("project", headers=jose)["writes"] == str(own.parent)
    # copies are not listed as texts
    assert len(client.get("texts", headers=ann)["texts"]) == 3
