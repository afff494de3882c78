"""Pages in a browser: search, filters and paging, also without JavaScript."""

import re
from itertools import pairwise

import pytest
from chromium import axe_violations, set_value, until, window_width
from drawn import check_lines, make_doc
from markupsafe import Markup
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from spacy.training import Example

from spacy_gapdner import Entity
from spacy_gapdner.analysis.known_texts import KnownTexts
from spacy_gapdner.analysis.model_report import report_model
from spacy_gapdner.drawing.analysis_report import render_report
from spacy_gapdner.drawing.bars import ENTITIES_CSS, Bar, render_entities
from spacy_gapdner.drawing.colors import PALETTE
from spacy_gapdner.drawing.page import LINES_JS, render_page
from spacy_gapdner.drawing.render import write_documents
from spacy_gapdner.pipe.scorer import Counts

pytestmark = pytest.mark.slow
JOINT = Entity("ADE", ((2, 3), (5, 6)), 0.9)
OTHER = Entity("SIGN", ((3, 4),), 0.3)


def make_pairs():
    """250 sentences of five documents. Every tenth has a discontinuous entity. Every second of
    these entities is found."""
    for number in range(250):
        gold = [JOINT] if number % 10 == 0 else []
        found = gold if number % 20 == 0 else [OTHER]
        text, name = f"Note {number} severe joint and pain", f"document {number // 50}"
        yield make_doc(text, gold, name), make_doc(text, found, name)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "page.html"
    write_documents(make_pairs(), path)
    return path


@pytest.fixture
def page(browser, path):
    browser.get(path.as_uri())
    yield browser
    assert browser.get_log("browser") == []


def visible(page, selector=".unit"):
    return [e for e in page.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()]


def until_status(page, text):
    status = page.find_element(By.CSS_SELECTOR, "[role=status]")
    until(page, lambda: status.text == text)


def press(page, text):
    page.find_element(By.XPATH, f"//*[self::button or self::label][contains(., '{text}')]").click()


def fill(page, label, value):
    set_value(page, page.find_element(By.CSS_SELECTOR, f".tools [aria-label='{label}']"), value)


def test_paging_and_search(page):
    until_status(page, "1 to 100 of 250")
    assert len(visible(page)) == 100
    assert [h.text for h in visible(page, ".doc h2")] == ["document 0", "document 1"]
    press(page, "Next")
    press(page, "Next")
    until_status(page, "201 to 250 of 250")
    assert [h.text for h in visible(page, ".doc h2")] == ["document 4"]
    assert not page.find_element(By.XPATH, "//button[.='Next']").is_enabled()
    box = page.find_element(By.CSS_SELECTOR, "[type=search]")
    box.send_keys("NOTE 24 severe joint")
    until_status(page, "1 to 1 of 1")
    box.clear()
    box.send_keys("document 3")
    until_status(page, "1 to 50 of 50")


def test_filters(page):
    press(page, "discontinuous only")
    until_status(page, "1 to 25 of 25")
    press(page, "disagreements only")
    # the prediction between the fragments is another error
    until_status(page, "1 to 12 of 12")
    faded = {e.get_attribute("data-label") for e in visible(page, "i.off[data-label]")}
    assert faded == {"+ spurious SIGN 0.30"}
    press(page, "discontinuous only")
    until_status(page, "1 to 100 of 237")
    fill(page, "Type", "ADE")
    until_status(page, "1 to 12 of 12")
    fill(page, "Lowest score", "0.95")
    until_status(page, "nothing found")


def test_outcomes_and_tooltips(page):
    script = "const c = document.querySelector('i.gap'); c.dispatchEvent("
    script += "new MouseEvent('mouseover', {bubbles: true})); return c.title"
    assert page.execute_script(script) == "correct: ✓ ADE 0.90: severe … pain"
    outcome = page.find_element(By.CSS_SELECTOR, "[aria-label=Outcome]")
    assert outcome.text.split("\n") == ["All outcomes", "correct", "missed", "spurious"]
    fill(page, "Outcome", "missed")
    until_status(page, "1 to 12 of 12")


def test_everything_is_shown_without_javascript(browser, path, tmp_path):
    plain = tmp_path / "page.html"
    plain.write_text(re.sub("(?s)<script.*?</script>", "", path.read_text("utf-8")), "utf-8")
    browser.get(plain.as_uri())
    assert len(visible(browser)) == 250
    assert not browser.find_elements(By.CSS_SELECTOR, ".tools")


@pytest.fixture(scope="module")
def report_path(tmp_path_factory):
    """A report with 12 missed, 237 spurious entities, and one with another boundary."""
    text, longer = "Note 250 severe joint and pain", Entity("ADE", ((2, 4), (5, 6)), 0.5)
    pairs = [*make_pairs(), (make_doc(text, [JOINT]), make_doc(text, [longer]))]
    known = KnownTexts(gold for gold, _ in pairs[:1])
    report = report_model((Example(found, gold) for gold, found in pairs), known=known)
    for error in [error for error in report.errors if error.kind == "missed"][:4]:
        error.candidate, error.threshold = 0.45, 0.5
    report.near = Counts(4, 5)
    path = tmp_path_factory.mktemp("reports") / "page.html"
    path.write_text(render_report({"a": report}, "data"), "utf-8")
    return path


@pytest.mark.parametrize("width", [1200, 400])
def test_report(browser, report_path, width):
    with window_width(browser, width):
        browser.get(report_path.as_uri())
        # the missed entities are in sentences with a spurious one
        until_status(browser, "1 to 100 of 238, errors: 250")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    fill(browser, "Type", "ADE")
    until_status(browser, "1 to 13 of 13, errors: 13")
    fill(browser, "Outcome", "boundary")
    until_status(browser, "1 to 1 of 1, errors: 1")
    labels = {e.get_attribute("data-label") for e in visible(browser, "i[data-label]:not(.off)")}
    assert labels == {"gold ADE, boundary", "✗ ADE 0.50, boundary"}
    # every sentence has a disagreement
    assert "disagreements only" not in browser.find_element(By.CSS_SELECTOR, ".tools").text


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("missed", "12", "1 to 12 of 12, errors: 12"),
        ("missed, near the threshold", "Show the sentences", "1 to 4 of 4, errors: 4"),
        ("spurious", "237", "1 to 100 of 237, errors: 237"),
        ("ADE predicted as nothing", "12", "1 to 12 of 12, errors: 12"),
        ("ADE predicted as ADE", "1", "1 to 1 of 1, errors: 1"),
        ("document 3", "51", "1 to 48 of 48, errors: 51"),
        ("SIGN: joint", "237 of 237", "1 to 100 of 237, errors: 237"),
        ("Fragments: 2", "65.0 (92.9/50.0)", "1 to 13 of 13, errors: 13"),
        ("Annotated in the training data: never", "0.0 (0.0/0.0)", None),
    ],
)
def test_numbers_show_the_sentences_of_their_errors(browser, report_path, title, text, expected):
    browser.get(report_path.as_uri())
    [link, *_] = browser.find_elements(By.CSS_SELECTOR, f'a[title="{title}"]')
    assert link.text == text
    link.send_keys(Keys.ENTER)
    expected = expected or "1 to 100 of 238, errors: 238"
    until_status(browser, expected)
    # the other errors of these sentences are faded
    chosen = browser.find_element(By.XPATH, f"//button[.='× {title}']")
    script = "const {top, bottom} = arguments[0].getBoundingClientRect();"
    assert browser.execute_script(script + "return top >= 0 && bottom <= innerHeight", chosen)
    press(browser, "× ")
    until_status(browser, "1 to 100 of 238, errors: 250")
    assert not chosen.is_displayed()


def test_pages_are_accessible(browser, path, report_path, tmp_path):
    found = {}
    same = tmp_path / "same.html"
    write_documents(((gold, gold) for gold, _ in make_pairs()), same, annotators=("a", "b"))
    for name in (path, report_path, same):
        browser.get(name.as_uri())
        found[name.name] = axe_violations(browser)
    browser.get(report_path.as_uri())
    browser.find_element(By.CSS_SELECTOR, "a[data-filter]").send_keys(Keys.ENTER)
    found["sentences"] = axe_violations(browser)
    assert not any(found.values()), found


def write_units(tmp_path, *units):
    path = tmp_path / "page.html"
    body = Markup("").join(units)
    path.write_text(render_page("", body, ENTITIES_CSS, LINES_JS), "utf-8")
    return path.as_uri()


def test_entities_are_close_to_their_words_in_every_line(browser, tmp_path):
    words = [f"word{number} " for number in range(24)]
    # a wide label, and entities that continue in other lines
    extents = ((0, 2), (0, 1), (1, 24), (2, 23), (23, 24))
    bars = [Bar(Entity("Measurement", (extent,)), "red", "missed") for extent in extents]
    with window_width(browser, 400):
        browser.get(write_units(tmp_path, render_entities(words, bars)))
        cells = browser.execute_script(CELLS)
    check_lines(cells, height=1.3 * 16)
    # labels do not touch the next line
    for line, after in pairwise(sorted({line for line, *_ in cells})):
        assert max(end for own, *_, end in cells if own == line) + 2 < after


def test_equal_labels_of_a_coordination_are_one(browser, tmp_path):
    text = "severe joint , shoulder , back , neck , knee and hip pain , and severe fever"
    found = [Entity("ADE", ((0, 1), (i, i + 1), (12, 13)), 0.9) for i in range(3, 10, 2)]
    found += [Entity("ADE", ((0, 2), (12, 13)), 0.9), Entity("ADE", ((0, 1), (11, 13)), 0.8)]
    found.append(Entity("ADE", ((15, 17),), 0.9))
    path = tmp_path / "page.html"
    write_documents([(make_doc(text, found),)], path)
    browser.get(path.as_uri())
    until_status(browser, "1 to 1 of 1")

    def shown():
        script = """return [...document.querySelectorAll("i[data-label]")].filter((cell) =>
          getComputedStyle(cell, "::after").content !== "none").map((cell) => cell.dataset.label)"""
        return browser.execute_script(script)

    assert shown() == ["ADE 0.90", "ADE 0.80", "ADE 0.90"]
    # faded entities have their own label
    press(browser, "discontinuous only")
    until(browser, lambda: len(visible(browser, "i.off[data-label]")) == 1)
    assert shown() == ["ADE 0.90", "ADE 0.80", "ADE 0.90"]


# for each cell: the top of its line, its own top, and the end of its label
CELLS = """return [...document.querySelectorAll("i[data-n]")].map((cell) => {
  const [line, own] = [cell.parentElement, cell].map((box) => box.getBoundingClientRect().top);
  const isLabeled = cell.matches("[data-label], [data-again]");
  const height = isLabeled ? parseFloat(getComputedStyle(cell, "::after").lineHeight) : 0;
  return [line, own, own + 4 + height]; })"""


@pytest.mark.parametrize(("theme", "least"), [("light", 3), ("dark", 4.5)])
def test_contrast(browser, tmp_path, theme, least):
    marks = ("correct", "incorrect", "missed", "spurious")
    entity = Entity("A", ((0, 1),))
    bars = [Bar(entity, color) for color in PALETTE]
    bars += [Bar(entity, f"var(--{mark})", mark) for mark in marks]
    media = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    browser.get(write_units(tmp_path, render_entities(["pain"], bars)))
    ground, *colors = browser.execute_script(COLORS)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(colors) == len(bars)
    # labels of outcomes have their own colors
    assert len({label for _, label in colors}) == 1 + len(marks)
    for bar, label in colors:
        assert contrast(bar, ground) >= least
        assert contrast(label, ground) >= 4.5


def test_forced_colors(browser, path, report_path, tmp_path):
    media = [{"name": "forced-colors", "value": "active"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    disagreements = tmp_path / "disagreements.html"
    write_documents(make_pairs(), disagreements, annotators=("a", "b"))
    for page in (path, report_path, disagreements):
        browser.get(page.as_uri())
        ground, *colors = browser.execute_script(COLORS)
        assert min(contrast(color, ground) for pair in colors for color in pair) >= 4.5
        # legends do not show colors
        assert not visible(browser, ".legend i")
        assert visible(browser, ".legend li")
        # filters that fade other entities are visible
        for link in browser.find_elements(By.CSS_SELECTOR, "a[data-filter]")[:1]:
            link.send_keys(Keys.ENTER)
            chosen = browser.find_element(By.CSS_SELECTOR, ".tools .chosen")
            until(browser, chosen.is_displayed)
            assert chosen.value_of_css_property("border-top-width") == "3px"
        fill(browser, "Type", "ADE")
        # and so are the faded ones
        faded = until(browser, lambda: visible(browser, "i.off"))[0]
        assert float(faded.value_of_css_property("opacity")) > 0.5
        assert faded.value_of_css_property("border-top-width") == "1px"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


COLORS = """const styles = [...document.querySelectorAll("i[data-n]")].map((cell) => [
  getComputedStyle(cell).borderTopColor, getComputedStyle(cell, "::after").color]);
return [getComputedStyle(document.body).backgroundColor, ...styles]"""


def contrast(*colors):
    dark, light = sorted(map(luminance, colors))
    return (light + 0.05) / (dark + 0.05)


def luminance(color):
    """The relative luminance of rgb(0, 1, 2) or color(srgb 0.1 0.2 0.3), as in WCAG."""
    scale = 1 if color.startswith("color(srgb") else 255
    parts = [float(part) / scale for part in re.findall(r"[\d.]+", color)[:3]]
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


# the space after the text of each word, and the distance between the text and its first bar
SPACES = """return [...document.querySelectorAll(".word")].map((box) => {
  const range = document.createRange();
  range.selectNode(box.firstChild);
  const text = range.getBoundingClientRect();
  const first = Math.min(...[...box.children].map((bar) => bar.getBoundingClientRect().top));
  return [box.getBoundingClientRect().width - text.width, first - text.bottom]; })"""
JOINED = """return [...document.querySelectorAll(".joined")].map((box) => [
  box.scrollWidth <= box.clientWidth,
  new Set([...box.querySelectorAll(".word")].map((word) => word.offsetTop)).size === 1])"""


@pytest.mark.parametrize("width", [1200, 200])
def test_labels_do_not_change_the_text(browser, tmp_path, width):
    words = re.findall(r"\w+ ?|\W+", "as Serum creatinine of the Organization (WHO) is known")
    spans = ((1, 2), (2, 3), (3, 4), (5, 8), (7, 8))
    bars = [Bar(Entity("Measurement", (span,)), "red", "differs") for span in spans]
    units = [render_entities(text, bars) for text in (words, "x" * 35, ["x" * 99] * 8)]
    with window_width(browser, width):
        browser.get(write_units(tmp_path, *units))
        found = browser.execute_script(SPACES)
        (is_narrow, is_one_line), (long_is_narrow, _) = browser.execute_script(JOINED)
    assert len(found) == 18
    # there is no space after a word with a longer label
    assert max(space for space, _ in found[:12]) < 1
    # bars are below their word, which can have several lines
    assert min(distance for _, distance in found) >= 0
    # "(WHO)" is in one line, and nothing is wider than the page
    assert (is_narrow, is_one_line, long_is_narrow) == (True, True, True)
