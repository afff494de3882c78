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
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    server.created, server.commits = [], []
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
    monkeypatch.undo()
    reset_sessions()


class _Hub(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        lines = [json.loads(line) for line in body.splitlines()]
        _, api, *parts = self.path.split("?")[0].split("/")
        assert api == "api"
        if self.headers["Authorization"] != "Bearer secret":
            self._answer({"error": "Invalid credentials"}, 401)
        elif parts == ["repos", "create"]:
            owner_name = f"{lines[0]['organization']}/{lines[0]['name']}"
            self.server.created.append(owner_name)
            self._answer({"url": f"{self.server.address}/{owner_name}"})
        elif parts == ["validate-yaml"]:
            self._answer({"errors": [], "warnings": []})
        elif parts[-2:] == ["preupload", "main"]:
            names = [file["path"] for file in lines[0]["files"]]
            modes = {"uploadMode": "regular", "shouldIgnore": False}
            self._answer({"files": [{"path": name, **modes} for name in names]})
        elif parts[-2:] == ["commit", "main"]:
            header, *files = (line["value"] for line in lines)
            content = {file["path"]: base64.b64decode(file["content"]) for file in files}
            self.server.commits.append(("/".join(parts[1:3]), header["summary"], content))
            # as from the hub itself: HfApi understands no other address
            url = f"https://huggingface.co/{'/'.join(parts[1:3])}/commit/1"
            self._answer({"success": True, "commitOid": "1", "commitUrl": url})
        else:
            self._answer({"error": self.path}, 404)

    def _answer(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass
