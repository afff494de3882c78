"""What axe-core reports in the states of the page, and what forced colors show."""

import pytest
from annotation_page import TEXT, Keys, Page, Server
from chromium import axe_violations, visit, window_width

pytestmark = pytest.mark.slow


def proposals(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: len(page.shown()) == 3)
    page.press(" ")


def warnings(page):
    page.write(ann="T1\tADE 900 904\tgone\nT2\tGain 46 56\tpain\nA1\tSure T2\n")
    page.press(" ")


def splitting(page):
    page.write()
    page.drag("severe", "pain")
    page.press("c")
    page.choices()


def conflict(page):
    page.write(ann="")
    page.drag("joint")
    page.saved()
    page.ann.write_text("T1\tDRUG 0 8\tNaproxen\n")
    page.drag("Mild")
    page.choices()


def finding(page):
    page.write()
    page.press("f", held=[Keys.CONTROL])
    page.press("pain")


def equal(page):
    page.write()
    page.drag("pain")
    page.press("e")
    page.until(lambda: "cannot be undone" in page.find("choice").text)


def help_(page):
    page.write()
    page.press("?")


def search(page):
    page.write()
    page.press("/", "no such text")
    page.until(page.find("no-hits").is_displayed)


def unreadable(page):
    (page.server.folder / "unreadable.txt").write_bytes(b"\xe9")
    page.visit("unreadable")
    page.until(lambda: "cannot be opened" in page.find("said").text)


def long_list(page):
    for n in range(50):
        (page.server.folder / f"x{n}.txt").write_text("A text.")
    page.load("x9")
    # the active row is not visible
    page.browser.execute_script("document.getElementById('text-list').scrollTop = 1e6")


def narrow_list(page):
    page.write()
    with window_width(page.browser, 400):
        page.find("show-texts").click()


STATES = [
    *(proposals, warnings, splitting, conflict, finding, equal, help_, search),
    *(unreadable, long_list, narrow_list),
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_no_violations(page, state):
    page.name = state.__name__
    state(page)
    assert axe_violations(page.browser) == []


def test_no_violations_with_names_and_many_types(page, tmp_path):
    (tmp_path / "note.txt").write_text(TEXT)
    labels = ",".join(f"Type{n}" for n in range(30))
    server = Server(tmp_path, labels, shared=True)
    page = Page(page.browser, server, "note")
    try:
        visit(page.browser, page.address)
        page.until(page.find("choice").is_displayed)
        assert axe_violations(page.browser) == []
        page.press("Ben", Keys.ENTER)
        page.until(lambda: page.find("text-name").text == "note")
        assert axe_violations(page.browser) == []
        # the list of types can be searched
        page.press(".", "type2", Keys.ENTER)
        page.drag("joint")
        page.saved()
        path = tmp_path / ".annotators" / "Ben" / "note.ann"
        assert path.read_text() == "T1\tType2 21 26\tjoint\n"
        with window_width(page.browser, 1000):
            assert page.find("text").size["height"] >= 480
        # without the server
        server.kill()
        page.drag("Mild")
        page.until(page.find("problem").is_displayed)
        assert axe_violations(page.browser) == []
    finally:
        server.kill()


def test_names_without_keys(page):
    page.write()
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    buttons = [n["name"]["value"] for n in tree if n["role"].get("value") == "button"]
    assert {"Done", "Split", "Fragment", "ADE", "DRUG"} <= set(buttons)


OUTLINES = """
return [".word.selected", ".type[aria-pressed=true]", "[data-status][aria-pressed=true]",
  "#text-rows [aria-selected=true]"].map(
  (selector) => getComputedStyle(document.querySelector(selector)).outlineStyle);
"""


def test_forced_colors(page):
    page.write(ann="T1\tADE 21 26\tjoint\n")
    page.press("d")
    page.load()
    page.press(" ")
    features = [{"name": "forced-colors", "value": "active"}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        assert page.browser.execute_script(OUTLINES) == ["solid"] * 4
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
