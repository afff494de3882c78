"""Take the picture of `gapdner annotate` for the documentation: needs Chromium."""

import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import typer
import uvicorn
from spacy.tokens import Doc

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.annotate.app import create_app
from spacy_gapdner.annotate.checks import make_checker
from spacy_gapdner.annotate.guidelines import read_guidelines
from spacy_gapdner.annotate.proposals import Proposer
from spacy_gapdner.annotate.session import Session
from spacy_gapdner.annotate.store import Texts
from spacy_gapdner.sentences import blank_pipeline

LABELS = '{"ADE": {"description": "What a drug has done."}, "DRUG": {"description": "Its name."}}'
TEXTS = {
    "001": "Since Brenorix I had severe joint, shoulder and back pain.\n"
    "Numb hands and feet at night; the nausea went away.\n"
    "My doctor lowered the dose of Brenorix.\n",
    "002": "Dizzy after Calvidol.\n",
    "003": "No complaints so far.\n",
}
ANN = (
    "T1\tDRUG 6 14\tBrenorix\n"
    "T2\tADE 21 33;53 57\tsevere joint pain\n"
    "T3\tADE 21 27;35 43;53 57\tsevere shoulder pain\n"
    "T4\tADE 21 27;48 57\tsevere back pain\n"
)
PROPOSED = {"Numb": ((0, 2), 0.93), "and feet": ((0, 1, 3), 0.81), "nausea": ((8,), 0.55)}
SIZE = (1200, 560)


class Shown(Session):
    """A session of a folder whose place is nobody's business."""

    def project(self, person: str) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): See `Session`."""
        return {**super().project(person), "writes": "notes"}


def propose(doc: Doc) -> Doc:
    """Find the entities of the second sentence of the first text, as a model would."""
    first = next((token.i for token in doc if token.text == "Numb"), None)
    if first is not None:
        tokens = {n: [first + i for i in at] for n, (at, _) in PROPOSED.items()}
        found = [Entity.from_tokens("ADE", tokens[n], PROPOSED[n][1]) for n in PROPOSED]
        set_entities(doc, found)
    return doc


def load(name: str) -> Any:
    """RETURNS (tuple[Language, Any]): What stands in for a trained pipeline."""
    nlp = blank_pipeline()
    pipe = SimpleNamespace(key="gapdner", labels=("ADE", "DRUG"))
    pieces = nlp.tokenizer
    nlp.tokenizer = lambda text: propose(pieces(text))
    return nlp, pipe


def show_annotate_page(output: Path) -> None:
    """Take the picture.

    output (Path): The PNG file.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "notes"
        folder.mkdir()
        (folder / "labels.json").write_text(LABELS)
        (folder / "001.ann").write_text(ANN)
        for text_name, text in TEXTS.items():
            (folder / f"{text_name}.txt").write_text(text)
        labels = read_guidelines(None, [folder])
        session = Shown(Texts(folder), labels, make_checker(), proposer=Proposer("tuned", load))
        server = uvicorn.Server(uvicorn.Config(create_app(session), port=0, log_level="warning"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            command = [shutil.which("chromium") or "google-chrome", "--headless", "--no-sandbox"]
            command += [f"--user-data-dir={name}/browser", "--virtual-time-budget=10000"]
            command += [f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={output.absolute()}"]
            subprocess.run([*command, f"http://127.0.0.1:{port}/#001"], check=True)
        finally:
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    typer.run(show_annotate_page)
