import json
import os
import signal
import socket
import subprocess
import sys
from urllib.request import Request, urlopen

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_server_runs_until_it_is_stopped(model, sent):
    command = [sys.executable, "-m", "spacy", "gapdner", "serve", str(model), "--port", "0"]
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    body = json.dumps({"text": "He took aspirin twice ."}).encode()
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
    with subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, **how) as process:
        try:
            url = process.stdout.readline().strip()
            with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as client:
                # a request that never ends
                client.sendall(head)
                request = Request(f"{url}/predict", body, {"Content-Type": "application/json"})
                with urlopen(request, timeout=60) as response:
                    (entity,) = json.load(response)["entities"]
                urlopen(f"{url}/health", timeout=60).close()
                process.send_signal(sent)
                _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert url.startswith("http://127.0.0.1:")
    assert (entity["label"], entity["text"]) == ("Drug", "aspirin")
    assert errors == ""
    if sent == signal.SIGTERM:
        assert process.returncode == -sent


def ask(app, host):
    from fastapi.testclient import TestClient

    return TestClient(app, f"http://{host}").get("/health")


def test_other_hosts_are_allowed_with_a_warning(serve, model):
    app, lines = serve("serve", model, "--host", "0.0.0.0", "--max-characters", 7)
    assert any("no password" in line for line in lines)
    assert lines[-1].startswith("http://0.0.0.0:")
    health = ask(app, "notes.example").json()
    assert (health["max_characters"], health["model"]) == (7, model.name)
    assert health["labels"] == ["ADR", "Drug"]


@pytest.mark.parametrize("host", ["127.0.0.1", "LOCALHOST"])
def test_only_local_requests_are_accepted(serve, model, host):
    app, lines = serve("serve", model, "--host", host)
    assert "password" not in "".join(lines)
    for own in ("localhost", "[::1]:5000"):
        assert ask(app, own).status_code == 200
    assert ask(app, "notes.example").status_code == 400


def test_errors(fails, model, tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        fails("Cannot listen", "serve", model, "--port", taken.getsockname()[1])
    fails("Pipeline not found", "serve", tmp_path / "missing", "--port", 0)
    fails("Cannot listen", "serve", model, "--host", "a..b", "--port", 0)
    # an empty host, such as an unset shell variable, would select all network interfaces
    fails("Invalid --host: ''", "serve", model, "--host", "", "--port", 0)
    monkeypatch.setattr("spacy_gapdner.cli.serve.find_spec", lambda name: None)
    fails("pip install 'spacy-gapdner[serve]'", "serve", model)
