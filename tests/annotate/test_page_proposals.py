"""Accepting and rejecting the proposals of a model, and a new model."""

import time

import pytest
from annotation_page import TEXT, Keys

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
    # as the score is shown
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


def test_a_new_model_during_annotation(page):
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
