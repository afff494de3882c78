"""A stub of the Hugging Face hub on the loopback address."""

import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from huggingface_hub import constants
from huggingface_hub.utils import reset_sessions


@pytest.fixture
def hub(monkeypatch):
    """Has the address, the repositories created, and the files of each commit."""
    # all other tests are offline
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    reset_sessions()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hub) as server:
        server.created, server.commits = [], []
        server.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever).start()
        yield server
        server.shutdown()
    monkeypatch.undo()
    reset_sessions()


class _Hub(BaseHTTPRequestHandler):
    def do_POST(self):
        lines = self.rfile.read(int(self.headers["Content-Length"])).splitlines()
        is_allowed = self.headers["Authorization"] == "Bearer secret"
        self.send_response(200 if is_allowed else 401)
        self.end_headers()
        answer = self.answer(list(map(json.loads, lines))) if is_allowed else {}
        self.wfile.write(json.dumps(answer).encode())

    def answer(self, lines):
        action = self.path.split("?")[0].removesuffix("/main").split("/")[-1]
        # of /api/models/OWNER/NAME/commit/main
        repository = "/".join(self.path.split("/")[3:5])
        if action == "create":
            repository = f"{lines[0]['organization']}/{lines[0]['name']}"
            self.server.created.append(repository)
            return {"url": f"{self.server.address}/{repository}"}
        if action == "validate-yaml":
            return {"errors": [], "warnings": []}
        if action == "preupload":
            modes = {"uploadMode": "regular", "shouldIgnore": False}
            return {"files": [{"path": file["path"], **modes} for file in lines[0]["files"]]}
        assert action == "commit"
        header, *files = (line["value"] for line in lines)
        content = {file["path"]: base64.b64decode(file["content"]) for file in files}
        self.server.commits.append((repository, header["summary"], content))
        # as from the hub itself: HfApi understands no other address
        url = f"https://huggingface.co/{repository}/commit/1"
        return {"success": True, "commitOid": "1", "commitUrl": url}

    def log_message(self, *args):
        pass
