import json
import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient

from spacy_gapdner.apps.annotate.journal import Entry, Journal
from spacy_gapdner.formats.outputs import locked

TEXT = "Severe joint and shoulder pain today ."


@pytest.fixture
def notes(write):
    return write({"notes/a.txt": TEXT}) / "notes"


@pytest.fixture
def annotate(serve):
    """Connects to the application that the command would serve."""

    def connect(*args):
        app, lines = serve("annotate", *args)
        url = urlsplit(lines[-1])
        headers = {"X-Token": url.query.removeprefix("token=")}
        return TestClient(app, "http://localhost", headers=headers), url

    return connect


def test_user_without_a_name(annotate, notes, monkeypatch):
    def refuse():
        raise KeyError("getpwuid(): uid not found: 1000")

    monkeypatch.setattr("spacy_gapdner.cli.annotate.getuser", refuse)
    client, url = annotate(notes, "--labels", "ADR,Drug", "--annotator", " ")
    assert (url.hostname, url.query) == ("127.0.0.1", "")
    project = client.get("/api/project").json()
    assert project["annotator"] == "annotator"
    assert [label["name"] for label in project["labels"]] == ["ADR", "Drug"]


def test_one_server_per_folder(annotate, fails, notes):
    with locked(notes / ".gapdner" / "lock", ""):
        message = f"Another annotate server uses {notes}. Stop it, or open its page."
        fails(message, "annotate", notes, "--labels", "ADR", "--port", 0)
    annotate(notes, "--labels", "ADR")


def test_with_a_model(annotate, notes, model):
    options = ("--retrain-after", 5, "--order", "uncertain", "--annotator", "Ann")
    client, _ = annotate(notes, "--model", model, *options)
    project = client.get("/api/project").json()
    assert (project["order"], project["annotator"]) == ("uncertain", "Ann")
    assert [label["name"] for label in project["labels"]] == ["ADR", "Drug"]
    state = client.get("/api/state").json()
    assert (state["model"], state["retrain_after"]) == ("tiny 0.0.0", 5)
    found = client.post("/api/texts/a/proposals").json()
    assert sorted(p["fragments"] for p in found) == [[[0, 6], [17, 30]], [[0, 12], [26, 30]]]


def test_other_hosts_need_a_token(annotate, notes):
    client, url = annotate(notes, "--labels", "ADR", "--host", "0.0.0.0")
    assert len(url.query.removeprefix("token=")) > 16
    assert client.get("/api/state").status_code == 200
    assert client.get("/api/state", headers={"X-Token": ""}).status_code == 401
    assert client.get("/").status_code == 200


def test_adjudication(serve, fails, write_brat, tmp_path):
    labels = {"ann": "ADR", "ben": "Drug"}
    sides = [write_brat(n, a=(TEXT, f"T1\t{label} 7 12\tjoint\n")) for n, label in labels.items()]
    options = tmp_path / "third", "--adjudicate", *sides
    fails("Leave out --shared", "annotate", *options, "--shared", "--port", 0)
    (sides[0] / "a.ann").write_text("T1\tADR 7 12\tjoint\nA1\tSure T1\n")
    app, lines = serve("annotate", *options)
    client = TestClient(app, "http://localhost")
    assert "Not copied: 1 line with attributes, notes or relations." in " ".join(lines)
    project = client.get("/api/project").json()
    found = client.post("/api/texts/a/proposals").json()
    assert [(p["label"], p["source"]) for p in found] == [("ADR", "ann"), ("Drug", "ben")]
    assert [label["name"] for label in project["labels"]] == ["ADR", "Drug"]


def test_only_texts_that_are_done_are_converted(run, notes, tmp_path):
    (notes / "begun.txt").write_text(TEXT)
    for name in ("a", "begun"):
        (notes / f"{name}.ann").write_text("T1\tADR 7 12\tjoint\n")
    output = tmp_path / "done.jsonl"
    Journal(notes).add("begun", Entry("doubtful"))
    Journal(notes).add("a", Entry("done"))
    run("convert", notes, output, "--done")
    [record] = map(json.loads, output.read_text().splitlines())
    assert (record["id"], len(record["entities"])) == ("a", 1)


def test_errors(fails, notes, tmp_path, monkeypatch):
    missing = tmp_path / "missing"
    fails("Use --labels", "annotate", notes, "--port", 0)
    fails("Pipeline not found", "annotate", notes, "--model", missing, "--port", 0)
    # only the folder of the lock
    assert {path.name for path in notes.rglob("*")} == {"a.txt", ".gapdner"}
    fails("require --model", "annotate", notes, "--retrain-after", 3, "--port", 0)
    fails("require --model", "annotate", notes, "--data", notes, "--port", 0)
    fails("require --model", "annotate", notes, "--threshold", 0.9, "--port", 0)
    names = ("--shared", "--annotator", "Ann")
    fails("Leave out --annotator", "annotate", notes, *names, "--port", 0)
    fails("Folder not found", "annotate", notes, "--adjudicate", notes, missing, "--port", 0)
    # root may write anywhere, and the tests may run as root
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (notes, os.W_OK))
    fails("no permission to write", "annotate", notes, "--labels", "ADR", "--port", 0)
    fails("no permission to write", "annotate", notes, "--shared", "--port", 0)


@pytest.mark.slow
def test_training_ends_with_its_server(notes, model, tmp_path):
    (notes / "a.ann").write_text("T1\tADR 0 6;17 30\tSevere shoulder pain\n")
    output = tmp_path / "output"
    job = {"model": str(model), "before": str(model), "output": str(output), "spans_key": None}
    # enough texts for a training, because the process would stop at once without one
    stems = [[str(number), str(notes / "a")] for number in range(100)]
    job |= {"stems": stems, "data": None, "gpu_id": -1, "code": None}
    command = [sys.executable, "-m", "spacy_gapdner.apps.annotate.learning"]
    # the system closes the input when a server is killed
    result = subprocess.run(
        command, input=f"{json.dumps(job)}\n", capture_output=True, text=True, timeout=120
    )
    assert (result.returncode, result.stderr) == (1, "")
    assert not output.exists()
