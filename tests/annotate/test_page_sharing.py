"""Adjudication, and a folder shared by several people."""

import pytest
from annotation_page import TEXT, Keys, Page, Server
from chromium import visit

from spacy_gapdner.annotate.adjudication import Adjudication

pytestmark = pytest.mark.slow


def test_adjudication(page, tmp_path):
    lines = {
        "ann": ["ADE 14 26", "DRUG 0 8", "ADE 28 36;46 50", "ADE 52 56"],
        "ben": ["ADE 21 26", "SYMPTOM 0 8", "ADE 41 45;46 50"],
    }
    for name, places in lines.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text(TEXT)
        ann = "".join(f"T{i}\t{place}\t\n" for i, place in enumerate(places, 1))
        (tmp_path / name / "note.ann").write_text(ann)
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
        assert page.entities() == ["ADE joint"]
        # as one step
        page.press("z", held=[Keys.CONTROL])
        page.until(lambda: page.find("n-sure").text == "3 of 7")
        # the same words with another type; entities of a coordination do not contradict each other
        page.click_bar("DRUG: Naproxen")
        page.press("a")
        page.until(lambda: page.find("n-sure").text == "3 of 5")
        page.press("A")
        assert page.entities() == [
            "ADE Mild",
            "ADE back pain",
            "ADE shoulder pain",
            "DRUG Naproxen",
        ]
        assert page.find("n-sure").text == "0 of 2"
    finally:
        server.kill()


def test_a_shared_folder(page, tmp_path):
    (tmp_path / "note.txt").write_text(TEXT)
    server = Server(tmp_path, shared=True)
    try:
        visit(page.browser, f"http://127.0.0.1:{server.port}/")
        dialog = page.find("choice")
        page.until(dialog.is_displayed)
        page.press("../Ben", Keys.ENTER)
        page.until(lambda: "letters" in dialog.text)
        page.press("Ben", Keys.ENTER)
        page.until(lambda: page.find("text-name").text == "note")
        page.drag("joint")
        page.saved()
        assert "joint" in (tmp_path / ".annotators" / "Ben" / "note.ann").read_text()
        page.find("other-name").click()
        page.until(lambda: page.find("choice").is_displayed())
    finally:
        server.kill()
