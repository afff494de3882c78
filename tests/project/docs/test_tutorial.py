"""The code of the tutorial runs, and prints the output on the page."""

import io
import re
import urllib.request

import pytest
import uvicorn
from brat_folder import write_reports
from fastapi.testclient import TestClient
from pages import run_page

from spacy_gapdner.cli import serve

# options that make the training of the page shorter
SHORTER = {
    "spacy train": " --training.optimizer.learn_rate.total_steps 60"
    " --training.optimizer.learn_rate.warmup_steps 6 --training.eval_frequency 30",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The brat folder that the tutorial starts from."""
    monkeypatch.chdir(tmp_path)
    write_reports(tmp_path / "reports")
    return tmp_path


@pytest.fixture
def served(monkeypatch):
    """Answer requests without a server."""
    listen = serve.listen
    seen = {}

    class Server:
        def __init__(self, config):
            seen["app"] = config.app

        def run(self, sockets):
            for listener in sockets:
                listener.close()

    def answer(request):
        client = TestClient(seen["app"], f"http://{request.host}")
        response = client.post(request.selector, content=request.data, headers=request.headers)
        assert response.status_code == 200
        return io.BytesIO(response.content)

    # the port of the page can be in use
    monkeypatch.setattr(serve, "listen", lambda host, port: listen(host, 0))
    monkeypatch.setattr(uvicorn, "Server", Server)
    monkeypatch.setattr(urllib.request, "urlopen", answer)


@pytest.mark.slow
def test_tutorial(folder, served, capsys):
    run_page("tutorial.md", capsys, shorten)
    assert (folder / "analysis" / "report.html").is_file()
    assert (folder / "packages" / "en_reports-1.0.0" / "setup.py").is_file()


def shorten(code):
    code = code.replace("\\\n", " ")
    for command, options in SHORTER.items():
        code = re.sub(rf"^python -m {command} .+", rf"\g<0>{options}", code, flags=re.MULTILINE)
    # building a wheel requires downloads
    return code.replace("--build wheel", "--build none")
