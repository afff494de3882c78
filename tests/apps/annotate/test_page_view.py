"""The list of texts, warnings, help, layout and accessibility of the page."""

import re

import pytest
from annotation_page import TEXT, ActionChains, By, Keys
from chromium import requested_urls, window_width
from drawn import check_lines

pytestmark = pytest.mark.slow


def test_text_navigation(page):
    for n in range(4):
        (page.server.folder / f"series{n}.txt").write_text(f"Text {n} of a series.")
    (page.server.folder / "long.txt").write_text("word " * 100 + "and a\nneedle")
    page.load("series0")
    page.press("n")
    page.until(lambda: page.find("text-name").text == "series1")
    page.press("p")
    page.until(lambda: page.find("text-name").text == "series0")
    for key, status in zip("dsq", ["done", "skipped", "doubtful"], strict=True):
        name = page.find("text-name").text
        page.press(key)
        page.until(lambda name=name: page.find("text-name").text != name)
        row = f"//li[@title='{name}' and contains(@class, '{status}')]"
        assert page.browser.find_element(By.XPATH, row)
    page.load()
    page.press("/")
    page.press("series")
    begins = page.browser.find_elements(By.CSS_SELECTOR, "#text-rows li small")
    assert [begin.text for begin in begins] == [f"Text {n} of a series." for n in range(4)]
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: page.find("text-name").text == "series1")
    # words within a text
    page.press("/")
    page.press("a NEEDLE")
    page.until(lambda: len(page.browser.find_elements(By.CSS_SELECTOR, "#text-rows li")) == 1)
    page.press(Keys.ESCAPE, "/")
    page.press("series")
    page.choose("filter", "doubtful")
    [row] = page.browser.find_elements(By.CSS_SELECTOR, "#text-rows li")
    row.click()
    page.until(lambda: page.find("text-name").text == "series2")
    n_done = int(page.find("progress-text").text.split()[0])
    page.click("done")
    page.until(lambda: page.find("progress-text").text.startswith(f"{n_done + 1} of"))


def test_status_is_taken_back(page):
    def pressed():
        buttons = page.browser.find_elements(By.CSS_SELECTOR, "footer [aria-pressed=true]")
        return [button.get_attribute("data-status") for button in buttons]

    for n in range(2):
        (page.server.folder / f"status{n}.txt").write_text("A text.")
    page.load("status0")
    page.press("d")
    page.until(lambda: page.find("text-name").text != "status0")
    page.press("p")
    page.until(lambda: page.find("text-name").text == "status0" and pressed() == ["done"])
    page.click("done")
    page.until(lambda: pressed() == [] and page.find("said").text == "This text is new again.")
    page.press("z", held=[Keys.CONTROL])
    page.until(lambda: pressed() == ["done"])
    page.press("z", held=[Keys.CONTROL, Keys.SHIFT])
    page.until(lambda: pressed() == [])


def test_the_next_text_is_in_the_list(page):
    for n in range(4):
        (page.server.folder / f"listed{n}.txt").write_text("A text.")
    page.load("listed3")
    page.press("/", "listed")
    page.press(Keys.ESCAPE, "q")
    page.until(lambda: page.find("text-name").text == "listed0")
    page.press("q")
    page.until(lambda: page.find("text-name").text == "listed1")
    page.choose("filter", "doubtful")
    page.press("/", Keys.DOWN, Keys.ENTER)
    page.until(lambda: page.find("text-name").text == "listed3")
    page.press("d")
    page.until(lambda: page.find("text-name").text == "listed0")
    rows = page.browser.find_elements(By.CSS_SELECTOR, "#text-rows li")
    assert [row.get_attribute("title") for row in rows] == ["listed0"]
    page.press("d")
    page.until(lambda: "no more texts in this list" in page.find("said").text)


def test_keys_after_mouse_actions(page):
    focused = "return document.activeElement.id"
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: page.find("score").is_displayed())
    page.find("score").click()
    assert page.browser.execute_script(focused) == "text"
    page.choose("filter", "new")
    assert page.browser.execute_script(focused) == "text"
    page.find("types").find_element(By.TAG_NAME, "summary").click()
    page.press(" ", "r")
    page.until(lambda: "Rejected ADE “severe joint”" in page.find("said").text)
    # opened and closed
    ActionChains(page.browser).click(page.find("filter")).send_keys(Keys.ESCAPE).perform()
    page.press("r")
    page.until(lambda: "Rejected ADE “Mild nausea”" in page.find("said").text)
    page.press(Keys.ESCAPE)
    assert page.browser.execute_script(focused) == "text"
    # reached by keyboard
    page.press("/", Keys.TAB, "d")
    assert page.find("filter").get_property("value") == "done"
    assert page.browser.execute_script(focused) == "filter"
    page.press(Keys.ESCAPE)
    assert page.browser.execute_script(focused) == "text"


def test_unreadable_texts(page):
    folder = page.server.folder
    (folder / "bad0.txt").write_bytes("Ödem im Bein".encode("latin-1"))
    (folder / "bad1.txt").write_text("Mild nausea.")
    page.visit("bad0")
    refused = "bad0 cannot be opened:"
    page.until(lambda: page.find("said").text.startswith(refused))
    # keys that need a text have no effect
    page.press("d", "1", " ", "+", Keys.ENTER, Keys.ESCAPE)
    assert page.find("said").text.startswith(refused)
    assert not page.find("labels").is_displayed()
    page.click("next")
    page.until(lambda: page.word("nausea"))
    page.drag("nausea")
    assert page.find("said").text == "Created ADE “nausea”."
    page.press("p")
    page.until(lambda: page.find("said").text.startswith(refused))
    assert page.find("text").text == ""
    # an old link
    (folder / "bad0.txt").unlink()
    page.visit("bad0")
    page.until(lambda: page.find("said").text == "There is no text bad0.")
    assert page.find("text").text


def test_a_text_without_words(page):
    page.browser.get_log("browser")
    page.write(" \n\n ")
    page.press(Keys.RIGHT, Keys.DOWN, Keys.ENTER, " ", Keys.END, "c")
    page.find("text").click()
    assert page.browser.get_log("browser") == []


def test_list_of_texts_in_a_narrow_window(page):
    page.write(ann="T1\tADE 21 26\tjoint\n")
    with window_width(page.browser, 600):
        page.press(" ")
        page.find("show-texts").click()
        assert page.find("texts").is_displayed()
        page.press(Keys.ESCAPE)
        assert not page.find("texts").is_displayed()
        assert page.find("chosen").text.startswith("ADE")


def test_warnings_and_help(page):
    page.write(ann="T1\tADE 900 904\tgone\n")
    assert "Entities not shown: 1." in page.find("chosen").text
    page.drag("pain", "Mild")
    # once on each of the two lines
    page.until(lambda: page.shown() == ["⚠ ADE"] * 2)
    assert "sentence" in page.find("chosen").text
    page.press("?")
    page.until(page.find("help").is_displayed)
    keys = [e.text for e in page.find("help").find_elements(By.TAG_NAME, "kbd")]
    assert {"Enter", "+", "c", "Ctrl+z", "Space", "a", "r", "A", "d", "s", "q", "/"} <= set(keys)
    page.press(Keys.ESCAPE)
    assert not page.find("help").is_displayed()


@pytest.mark.parametrize("width", [1200, 400])
def test_nothing_is_wider_than_the_page(page, width):
    page.write(f"{'x' * 400} pain.\n", ann=f"T1\t{'L' * 300} 401 405\tpain\n")
    with window_width(page.browser, width):
        page.press(" ")
        boxes = "[document.documentElement, ...document.querySelectorAll('#text, #side, #said')]"
        script = f"return {boxes}.map(e => e.scrollWidth - e.clientWidth)"
        assert max(page.browser.execute_script(script)) <= 0
        # a long message is shown completely
        script = "const said = document.getElementById('said'); said.textContent = arguments[0];"
        script += "return said.scrollHeight - said.clientHeight"
        assert page.browser.execute_script(script, "New model. " * 25) <= 0


LABELS = """
const boxes = (selector) => [...document.querySelectorAll(selector)].map(
  (e) => e.getBoundingClientRect());
const [labels, words, [block]] = ['.word b', '.word', '.block'].map(boxes);
return [
  words.map((word) => word.width),
  labels.filter((a) => a.left < block.left || a.right > block.right
    || labels.some((b) => a !== b && a.left < b.right && b.left < a.right
      && a.top < b.bottom && b.top < a.bottom)).length,
];
"""


@pytest.mark.parametrize("width", [1200, 400])
def test_labels_are_readable_and_do_not_move_words(page, width):
    text = "He had TB or HIV, and MS. " * 8
    ranges = (match.span() for match in re.finditer("TB|HIV|MS", text))
    ann = "".join(f"T{start}\tSYMPTOM {start} {end}\t\n" for start, end in ranges)
    with window_width(page.browser, width):
        page.write(text, ann="")
        before, _ = page.browser.execute_script(LABELS)
        page.write(text, ann=ann)
        page.until(lambda: len(page.shown()) == 24)
        widths, n_unreadable = page.browser.execute_script(LABELS)
    assert (widths, n_unreadable) == (before, 0)


# entities that start below others and continue on other lines; words with wider labels
NESTED = "word " * 40, [(0, 9), (0, 4), (5, 199), (5, 194)]
ENDS = [*range(1, 570, 19), *range(18, 570, 19)]
WORDS = "a hypersensitivity " * 30, [(end - (1 if end % 19 == 1 else 16), end) for end in ENDS]


@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize(("text", "ranges"), [NESTED, WORDS])
def test_bars_are_close_to_their_words_in_every_line(page, width, text, ranges):
    ann = "".join(f"T{n}\tADE {start} {end}\t\n" for n, (start, end) in enumerate(ranges, 1))
    with window_width(page.browser, width):
        page.write(text, ann=ann)
        page.until(lambda: len(page.shown()) == len(ranges))
        check_lines(page.browser.execute_script(CELLS), height=1.05 * 16 + 2)
        # long entities have their type on each line
        continued = page.browser.find_elements(By.CSS_SELECTOR, "[data-again=ADE]")
        assert bool(continued) == (text == NESTED[0])


# for each part of a bar: the top of its line and its own top
CELLS = """return [...document.querySelectorAll(".word i[data-key]")].map((bar) =>
  [bar.closest(".word"), bar].map((box) => box.getBoundingClientRect().top)); """


def test_text_of_white_space(page):
    page.browser.get_log("browser")
    page.write(" \n\t\n")
    arrows = (Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_DOWN)
    for held in ((), (Keys.SHIFT,), (Keys.ALT,), (Keys.ALT, Keys.SHIFT)):
        page.press(*arrows, held=held)
        page.press(Keys.ENTER, "1", "c", "+", " ", "a", Keys.BACKSPACE)
    page.click("done")
    page.until(lambda: page.ann.exists())
    assert page.ann.read_text() == ""
    assert page.browser.get_log("browser") == []


def test_accessible_names_and_requests(page, server):
    requested_urls(page.browser)
    page.browser.get_log("browser")
    page.write(f"{TEXT}They propose severe pain.")
    page.press(" ")
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "combobox", "slider", "searchbox", "listbox", "option", "application"}
    nodes = [n for n in tree if not n["ignored"] and n["role"]["value"] in roles]
    assert {node["role"]["value"] for node in nodes} == roles
    assert [node for node in nodes if not node.get("name", {}).get("value")] == []
    # all requests are sent to the local server
    page.drag("severe")
    page.saved()
    addresses, own = requested_urls(page.browser), f"http://127.0.0.1:{server.port}/"
    assert f"{own}api/project" in addresses
    assert all(address.startswith((own, "about:")) for address in addresses)
    assert page.browser.get_log("browser") == []
