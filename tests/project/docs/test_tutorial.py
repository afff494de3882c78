"""The code of the tutorial runs, and prints the output on the page."""

import io
import re
import urllib.request

import pytest
import uvicorn
from brat_folder import write_reports
from fastapi.testclient import TestClient
from pages import code_blocks, run_page

from spacy_gapdner.cli import serve

# added to the commands of the page so that training takes seconds
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
    """Answers requests to the address of the server, without a server."""
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

    # the page's port may be taken
    monkeypatch.setattr(serve, "listen", lambda host, port: listen(host, 0))
    monkeypatch.setattr(uvicorn, "Server", Server)
    monkeypatch.setattr(urllib.request, "urlopen", answer)


def test_the_brat_folder_is_as_the_page_shows_it(folder):
    blocks = [code for _, code in code_blocks("tutorial.md")]
    shown = next(code for code in blocks if "001.ann  " in code and "T1" in code)
    text, annotation = re.split(r"001\.ann", shown)
    assert text.split(maxsplit=1)[1].strip() == (folder / "reports/train/001.txt").read_text()
    lines = [" ".join(line.split()) for line in annotation.strip().splitlines()]
    found = (folder / "reports/train/001.ann").read_text().splitlines()
    assert lines == [" ".join(line.split()) for line in found]


@pytest.mark.slow
def test_tutorial(folder, served, capsys):
    run_page("tutorial.md", capsys, shorten)
    assert (folder / "analysis" / "report.html").is_file()
    assert (folder / "packages" / "en_reports-1.0.0" / "setup.py").is_file()


def shorten(code):
    code = code.replace("\\\n", " ")
    for command, options in SHORTER.items():
        code = re.sub(rf"^python -m {command} .+", rf"\g<0>{options}", code, flags=re.MULTILINE)
    # a wheel is built with libraries from the network
    return code.replace("--build wheel", "--build none")
