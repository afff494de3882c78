"""Adjudication, and a folder shared by several people."""

import pytest
from annotation_page import TEXT, Keys, Page, Server
from chromium import visit

from spacy_gapdner.annotate.adjudication import Adjudication

pytestmark = pytest.mark.slow


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
        assert page.entities() == ["ADE joint"]
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


def test_a_shared_folder(page, tmp_path):
    (tmp_path / "note.txt").write_text(TEXT)
    server = Server(tmp_path, shared=True)
    try:
        visit(page.browser, f"http://127.0.0.1:{server.port}/")
        page.until(lambda: page.find("choice").is_displayed())
        page.press("../Ben", Keys.ENTER)
        page.until(lambda: "letters" in page.find("choice").text)
        page.press("Ben", Keys.ENTER)
        page.until(lambda: page.find("text-name").text == "note")
        page.drag("joint")
        page.saved()
        assert "joint" in (tmp_path / ".annotators" / "Ben" / "note.ann").read_text()
        page.find("other-name").click()
        page.until(lambda: page.find("choice").is_displayed())
    finally:
        server.kill()
