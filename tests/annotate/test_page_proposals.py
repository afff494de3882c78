"""What a model proposes on the page: accepted, rejected, and replaced by a new model."""

import time

import pytest
from annotation_page import TEXT, By, Keys

pytestmark = pytest.mark.slow


def test_proposals_by_keyboard(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.60", "ADE 0.90"])
    page.press(" ", "a")
    page.until(lambda: page.entities() == ["ADE severe joint"])
    page.press("r")
    page.press("A")
    assert page.entities() == ["ADE severe joint", "ADE severe pain"]
    assert page.shown() == ["ADE", "ADE"]
    page.load()
    # what was rejected is remembered
    time.sleep(0.3)
    assert page.shown() == ["ADE", "ADE"]


def test_the_choice_does_not_go_back(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: len(page.shown()) == 3)
    page.click_bar("ADE: Mild nausea")
    page.press(Keys.ENTER, Keys.ENTER)
    assert page.entities() == ["ADE Mild nausea", "ADE severe pain"]
    # not for the proposal that was passed over; what is changed is not proposed again
    page.press("2")
    assert page.entities() == ["ADE Mild nausea", "DRUG severe pain"]
    assert page.shown() == ["ADE 0.90", "ADE", "DRUG"]


def test_proposals_by_mouse(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: len(page.shown()) == 3)
    page.click_bar("ADE: Mild nausea")
    page.click("reject")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.90"])
    page.click("accept")
    assert len(page.entities()) == 1
    script = "arguments[0].value = 0.95; arguments[0].dispatchEvent(new Event('input'))"
    page.browser.execute_script(script, page.find("score"))
    assert page.find("n-sure").text == "0 of 1"
    page.browser.execute_script(script.replace("0.95", "0.5"), page.find("score"))
    page.click("accept-all")
    assert page.entities() == ["ADE severe joint", "ADE severe pain"]
    # a proposal that is changed is taken, and does not come again
    for _ in range(3):
        page.click("undo")
    page.until(lambda: len(page.shown()) == 3)
    page.click_bar("ADE: Mild nausea")
    page.press("2")
    assert page.entities() == ["DRUG Mild nausea"]
    assert page.shown() == ["ADE 0.90", "DRUG", "ADE 0.90"]


def test_a_new_model_while_somebody_annotates(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.60", "ADE 0.90"])
    page.press(" ", "a", Keys.ESCAPE)
    page.click_bar("ADE: Mild nausea")
    page.server.proposer.swap("severe shoulder")
    # the chosen one stays until it is decided on, as somebody looks at it
    page.until(lambda: page.shown() == ["ADE", "ADE 0.60", "ADE 0.60", "ADE 0.90"])
    page.press("a")
    assert page.entities() == ["ADE Mild nausea", "ADE severe joint"]
    # an entity in the making: words that keys have marked, and a fragment to come
    page.press(Keys.ESCAPE)
    page.drag("back")
    page.click("add")
    page.server.proposer.swap("gave")
    page.until(lambda: page.shown() == ["ADE 0.60", "ADE", "ADE", "ADE"])
    page.drag("pain")
    assert "ADE back pain" in page.entities()
    page.press(Keys.ESCAPE, Keys.UP * 3, Keys.LEFT * 9)
    page.press(Keys.RIGHT, held=[Keys.SHIFT])
    page.server.proposer.swap("Naproxen")
    proposed = "i.proposal[title='ADE: Naproxen gave']"
    page.until(lambda: page.browser.find_elements(By.CSS_SELECTOR, proposed))
    assert page.browser.execute_script("return getSelection().toString()").split() == [
        "Naproxen",
        "gave",
    ]
    page.press(Keys.ENTER)
    assert "ADE Naproxen gave" in page.entities()
    # back to the proposals of the first model
    for _ in range(5):
        page.press("z", held=[Keys.CONTROL])
    assert page.entities() == []
    assert page.shown() == ["ADE 0.60", "ADE 0.90", "ADE 0.60"]
