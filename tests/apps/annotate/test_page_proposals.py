"""Accepting and rejecting the proposals of a model or of two annotators."""

import time

import pytest
from annotation_page import TEXT, Keys, Page, Server

from spacy_gapdner.apps.annotate.adjudication import Adjudication

pytestmark = pytest.mark.slow


def test_proposals_by_keyboard(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.60", "ADE 0.90"])
    assert page.find("model").text == "finder 1.0: F1 90.0 on development data"
    page.press(" ", "a")
    page.until(lambda: page.entities() == ["ADE severe joint"])
    page.press("r")
    page.press("A")
    assert page.entities() == ["ADE severe joint", "ADE severe pain"]
    assert page.shown() == ["ADE", "ADE"]
    page.load()
    # rejected entities are remembered
    time.sleep(0.3)
    assert page.shown() == ["ADE", "ADE"]


def test_proposals_by_mouse(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: len(page.shown()) == 3)
    # the score as displayed
    page.set_score(0.6)
    assert page.find("n-sure").text == "3 of 3"
    page.click_bar("ADE: Mild nausea")
    page.click("reject")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.90"])
    page.click("accept")
    assert len(page.entities()) == 1
    page.set_score(0.95)
    assert page.find("n-sure").text == "0 of 1"
    page.set_score(0.5)
    page.click("accept-all")
    assert page.entities() == ["ADE severe joint", "ADE severe pain"]


def test_new_model_during_annotation(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.60", "ADE 0.90"])
    page.press(" ", "a", Keys.ESCAPE)
    page.click_bar("ADE: Mild nausea")
    page.server.proposer.swap("severe shoulder")
    # the selected proposal stays until the user decides
    page.until(lambda: page.shown() == ["ADE", "ADE 0.60", "ADE 0.60", "ADE 0.90"])
    page.press("a")
    assert page.entities() == ["ADE Mild nausea", "ADE severe joint"]
    # an unfinished entity
    page.press(Keys.ESCAPE)
    page.drag("back")
    page.click("add")
    page.server.proposer.swap("gave")
    page.until(lambda: page.shown() == ["ADE 0.60", "ADE", "ADE", "ADE"])
    page.drag("pain")
    assert "ADE back pain" in page.entities()


def test_adjudication(page, tmp_path):
    ann = "T1\tADE 14 26\t\nT2\tDRUG 0 8\t\nT3\tADE 28 36;46 50\t\nT4\tADE 52 56\t\n"
    ben = "T1\tADE 21 26\t\nT2\tSYMPTOM 0 8\t\nT3\tADE 41 45;46 50\t\n"
    for name, lines in {"ann": ann, "ben": ben}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text(TEXT)
        (tmp_path / name / "note.ann").write_text(lines)
    adjudication = Adjudication(tmp_path / "ann", tmp_path / "ben")
    adjudication.prepare(tmp_path / "both")
    server = Server(tmp_path / "both", adjudication=adjudication)
    page = Page(page.browser, server, "note")
    try:
        page.load()
        page.until(lambda: page.find("n-sure").text == "3 of 7")
        page.click_bar("ADE: joint")
        assert "Or ADE “severe joint”, as annotated by ann." in page.find("chosen").text
        page.press("a")
        page.until(lambda: "rejected ADE “severe joint”" in page.find("said").text)
        # as one step
        page.press("z", held=[Keys.CONTROL])
        page.until(lambda: page.find("n-sure").text == "3 of 7")
        # the same words with another type; entities of a coordination do not contradict each other
        page.click_bar("DRUG: Naproxen")
        page.press("a")
        page.until(lambda: page.find("n-sure").text == "3 of 5")
        page.press("A")
        pains = ["ADE back pain", "ADE shoulder pain"]
        assert page.entities() == ["ADE Mild", *pains, "DRUG Naproxen"]
        assert page.find("n-sure").text == "0 of 2"
    finally:
        server.kill()
