"""What the server of the page answers, and what becomes of the files."""

import json

import pytest

TEXT = "Severe joint and shoulder pain today ."
JOINT = ("ADR", [[0, 12], [26, 30]])
SHOULDER = ("ADR", [[0, 6], [17, 30]])
JSON = {"Content-Type": "application/json"}


def test_what_the_page_learns_first(connect, notes):
    project = connect().get("project")
    labels = project.pop("labels")
    assert [(label["name"], label["key"]) for label in labels] == [("ADR", "1"), ("Drug", "2")]
    assert project == {
        "name": "notes",
        "annotator": "Ann",
        "shared": False,
        "model": None,
        "order": "files",
        "orders": ["files", "random"],
        "writes": str(notes),
        "adjudication": None,
    }


def test_a_text_before_anybody_has_annotated_it(connect, notes):
    text = connect().get("texts/a")
    assert text.pop("version")
    assert text == {
        "id": "a",
        "text": TEXT,
        "status": "new",
        "tokens": [[0, 6], [7, 12], [13, 16], [17, 25], [26, 30], [31, 36], [37, 38]],
        "sentences": [[0, 38]],
        "entities": [],
        "rejected": [],
    }
    assert not (notes / "a.ann").exists()


def test_entities_are_saved_as_brat_has_them(connect, notes):
    client = connect()
    answer = client.save("a", SHOULDER, JOINT)
    assert answer["removed"] == []
    assert answer["entities"] == [
        {"id": "T1", "label": "ADR", "fragments": SHOULDER[1], "notes": [], "warnings": []},
        {"id": "T2", "label": "ADR", "fragments": JOINT[1], "notes": [], "warnings": []},
    ]
    assert (notes / "a.ann").read_bytes() == (
        b"T1\tADR 0 6;17 30\tSevere shoulder pain\nT2\tADR 0 12;26 30\tSevere joint pain\n"
    )
    text = client.get("texts/a")
    assert (text["entities"], text["version"]) == (answer["entities"], answer["version"])
    assert [path.name for path in notes.iterdir() if path.name.startswith(".gapdner-")] == []


def test_no_file_without_need(connect, notes):
    client = connect()
    client.save("a", status="doubtful")
    assert not (notes / "a.ann").exists()
    client.save("a", status="done")
    assert (notes / "a.ann").read_bytes() == b""


def test_notes_and_what_goes_with_an_entity(connect, notes):
    content = "T1\tADR 0 6;17 30\tSevere shoulder pain\nA1\tSure T1\n#1\tAnnotatorNotes T1\tyes\n"
    (notes / "a.ann").write_text(content)
    client = connect()
    (entity,) = client.get("texts/a")["entities"]
    assert entity["notes"] == ["Sure", "yes"]
    assert client.save("a")["removed"] == ["A1\tSure T1", "#1\tAnnotatorNotes T1\tyes"]
    assert (notes / "a.ann").read_bytes() == b""
    # undone
    assert client.save("a", (*SHOULDER, "T1"))["entities"] == [entity]
    assert (notes / "a.ann").read_text() == content


def test_a_file_that_somebody_else_has_changed_is_not_overwritten(connect, notes):
    client = connect()
    version = client.get("texts/a")["version"]
    theirs = b"T1\tDrug 7 12\tjoint\n"
    (notes / "a.ann").write_bytes(theirs)
    answer = client.save("a", SHOULDER, version=version, code=409)
    assert "changed by someone else" in answer["detail"]
    assert answer["current"] == client.get("texts/a")
    assert answer["current"]["entities"][0]["label"] == "Drug"
    assert (notes / "a.ann").read_bytes() == theirs
    # so it is where the text or the status is another
    for change in (
        lambda: client.save("a", ("Drug", [[7, 12]], "T1"), status="skipped"),
        lambda: (notes / "a.txt").write_text(TEXT + " And more ."),
        lambda: (notes / "a.ann").unlink(),
    ):
        version = client.get("texts/a")["version"]
        change()
        client.save("a", SHOULDER, version=version, code=409)


def test_statuses_rejections_and_who(connect, open_session, notes):
    client = connect()
    client.save("a", SHOULDER, status="done", rejected=[{"label": "Drug", "fragments": [[7, 12]]}])
    client.save("b", status="skipped")
    # of another server, later
    client = connect(open_session(annotator="Ben"))
    assert [(t["id"], t["status"], t["characters"]) for t in client.get("texts")["texts"]] == [
        ("a", "done", 38),
        ("b", "skipped", 23),
        ("sub/c", "new", 22),
    ]
    assert client.get("texts/a")["rejected"] == [{"label": "Drug", "fragments": [[7, 12]]}]
    shown = ("done", "total", "per_hour", "done_since")
    assert [client.get("state")[name] for name in shown] == [1, 3, None, 1]
    client.save("a", (*SHOULDER, "T1"), status="new")
    lines = (notes / ".gapdner" / "annotate.jsonl").read_text().splitlines()
    said = [json.loads(line) for line in lines]
    assert [(e["id"], e["status"], e["annotator"]) for e in said] == [
        ("a", "done", "Ann"),
        ("b", "skipped", "Ann"),
        ("a", "new", "Ben"),
    ]
    assert client.get("state")["done"] == 0


def test_orders(connect, notes):
    client = connect()
    orders = ("files", "random", "random")
    files, *shuffled = (client.get(f"texts?order={order}")["texts"] for order in orders)
    assert [text["id"] for text in files] == ["a", "b", "sub/c"]
    assert shuffled[0] == shuffled[1]
    assert sorted(shuffled[0], key=lambda text: text["id"]) == files
    # a text that came later
    (notes / "new text #1.txt").write_text("Fever .")
    assert client.get("texts/new%20text%20%231")["text"] == "Fever ."


def test_warnings(connect, notes):
    (notes / "b.txt").write_text("Pain here. And there. " + "word " * 130)
    (notes / "b.ann").write_text("T1\tWeird 0 4\tGain\n")
    answer = connect().save(
        "b",
        ("ADR", [[0, 2]]),
        ("ADR", [[0, 4], [15, 20]]),
        ("ADR", [[22, 26], [667, 671]]),
        ("Weird", [[0, 4]], "T1"),
    )
    assert [entity["warnings"] for entity in answer["entities"]] == [
        ["cut inside a token: 'Pa' of 'Pain'"],
        ["crosses a sentence boundary"],
        ["longer than max_length"],
        ["the file contains the text 'Gain'", "unknown label Weird"],
    ]


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("texts/none", 404, "Text not found: none"),
        ("texts/..%2Fsecret", 404, "Text not found"),
        ("texts/%2Fetc%2Fpasswd", 404, "Text not found"),
        ("texts?order=backwards", 422, None),
        ("nothing", 404, None),
    ],
)
def test_what_is_not_there(connect, notes, path, status, message):
    (notes.parent / "secret.txt").write_text("secret")
    answer = connect().get(path, status)
    assert message is None or message in answer["detail"]


def test_files_that_cannot_be_read(connect, notes):
    (notes / "a.txt").write_bytes(b"caf\xe9")
    (notes / "b.ann").write_bytes(b"T1\tADR 0 2\t\xe9\n")
    (notes / "sub" / "c.a1").write_text("T1\tADR 0 2\tNo\n")
    client = connect()
    assert len(client.get("texts")["texts"]) == 3
    assert "a.txt is not UTF-8" in client.get("texts/a", 422)["detail"]
    assert "b.ann is not UTF-8" in client.get("texts/b", 422)["detail"]
    assert "only .ann is read" in client.get("texts/sub/c", 422)["detail"]


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        (("two words", [[0, 6]]), "brat does not allow the label"),
        (("ADR", [[0, 99]]), "Invalid fragments of ADR"),
        (("ADR", [["0", "x"]]), None),
        (("ADR\ud800", [[0, 6]]), None),
        (("ADR", [[0, 6]], "../T1"), "Invalid entity id"),
    ],
)
def test_what_cannot_be_saved(connect, notes, entity, message):
    body = {"version": connect().get("texts/a")["version"], "status": "new"}
    body["entities"] = [dict(zip(("label", "fragments", "id"), entity, strict=False))]
    response = connect().http.put("/api/texts/a", content=json.dumps(body), headers=JSON)
    assert response.status_code == 422
    assert message is None or message in response.json()["detail"]
    assert not (notes / "a.ann").exists()


def test_a_folder_that_cannot_be_written(connect, notes, monkeypatch):
    def refuse(*args):
        raise PermissionError(13, "Permission denied", ".gapdner-32krpxha")

    monkeypatch.setattr("spacy_gapdner.formats.outputs.os.replace", refuse)
    assert connect().save("a", SHOULDER, code=500)["detail"] == "Permission denied: a.ann"


def test_the_token(connect):
    client = connect(token="secret")
    assert client.get("state", 401)["detail"] == "The token in the address is missing or incorrect."
    client.get("state", 401, headers={"X-Token": "other"})
    client.get("state", headers={"X-Token": "secret"})
    # the page itself is no secret
    page = client.http.get("/")
    assert page.status_code == client.http.get("/page.css").status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert client.http.get("/style.css").headers["cache-control"] == "no-store"


def test_other_pages_and_other_names_are_refused(connect):
    client = connect()
    client.get("state", 403, headers={"Sec-Fetch-Site": "cross-site"})
    assert client.http.get("http://evil.example/api/state").status_code == 400


def test_one_folder_and_several_people(connect, notes):
    client = connect(shared=True)
    assert client.get("project")["annotator"] == ""
    assert "Invalid name" in client.get("texts", 422)["detail"]
    client.get("texts", 422, headers={"X-Annotator": "../up"})
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
    # they are texts of nobody else
    assert len(client.get("texts", headers=ann)["texts"]) == 3
