"""Several processes. A module of its own, which runs last, because workers could hang."""

import multiprocessing

import pytest
from command_lines import invoke
from learning import build
from tiny_pipeline import CORPUS

from spacy_gapdner.cli import app

pytestmark = pytest.mark.gpu


def test_command_refuses_processes(tmp_path):
    build(None).to_disk(tmp_path / "model")
    (tmp_path / "a.txt").write_text("fever")
    paths = tmp_path / "model", tmp_path / "a.txt"
    result = invoke(app, "predict", *paths, "--gpu-id", 0, "--n-process", 2, exit_code=1)
    assert "Several processes cannot share a GPU" in result.stderr


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="needs forked workers")
def test_forked_workers_cannot_use_the_gpu():
    nlp = build(None)
    texts = [text for text, _ in CORPUS]
    with pytest.warns(UserWarning, match="W114"), pytest.raises(ValueError, match=r"(?i)cuda"):
        list(nlp.pipe(texts, n_process=2, batch_size=1))
    # this process still can
    assert len(list(nlp.pipe(texts))) == len(texts)
