"""The state of training on the page."""

import pytest
from annotation_page import Page, Server

from spacy_gapdner.apps.annotate.journal import Entry, Journal
from spacy_gapdner.apps.annotate.learning import is_held_out
from spacy_gapdner.apps.annotate.training import MIN_COMPARED, Trainer

pytestmark = pytest.mark.slow


def refuse(*args, **kwargs):
    raise OSError(12, "Cannot allocate memory")


def test_training_says_what_it_needs(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_gapdner.apps.annotate.training.Popen", refuse)
    *names, last = [name for i in range(99) if is_held_out(name := f"text{i}")][:MIN_COMPARED]
    for name in (*names, last):
        (tmp_path / f"{name}.txt").write_text("Mild nausea.")
        (tmp_path / f"{name}.ann").write_text("T1\tADE 0 11\tMild nausea\n")
    for name in names:
        Journal(tmp_path).add(name, Entry("done"))
    trainer = Trainer("tiny", tmp_path / ".gapdner", lambda name: None)
    server = Server(tmp_path, trainer=trainer, retrain_after=30)
    page = Page(browser, server, last)
    try:
        page.load()
        shown, train = page.find("model"), page.find("train")
        page.until(lambda: "19 of them are finished. One text in 3 is held out." in shown.text)
        assert not train.is_enabled()
        assert "until retraining" not in shown.text
        page.press("d")
        page.until(train.is_enabled)
        assert shown.text.endswith(" · 10 texts until retraining")
        train.click()
        page.until(lambda: "Training failed: [Errno 12] Cannot allocate memory" in shown.text)
        assert "30 texts until retraining" in shown.text
    finally:
        server.kill()
