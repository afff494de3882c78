"""The page in a browser: find, filter, save and drop files."""

import json

import pytest
from chromium import axe_violations, requested_urls, serve, set_value, until, visit, window_width
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from spacy_gapdner.apps.serving.app import create_app
from spacy_gapdner.drawing.colors import choose_colors

pytestmark = pytest.mark.slow
TEXT = "Naproxen gave severe joint and back pain.\nMild nausea <b>later</b>."
# the words with labels
ALL = ["Naproxen DRUG 0.98", "severe ADE 0.81", "severe ADE 0.44", "Mild ADE 0.62"]
LABELS = """
return [...document.querySelectorAll('#drawing [data-label]')].map(
  e => e.closest('.word').firstChild.textContent.trim() + ' ' + e.dataset.label)
"""
DROP = """
const data = new DataTransfer();
data.items.add(new File([arguments[0]], "note.txt", {type: "text/plain"}));
document.getElementById("text").dispatchEvent(
  new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
"""


@pytest.fixture(scope="module")
def url(nlp, pipe):
    """Address of a server of the page."""
    port, stop = serve(create_app(nlp, pipe, max_characters=500))
    yield f"http://127.0.0.1:{port}/"
    stop()


@pytest.fixture
def page(browser, url):
    visit(browser, url)
    until(browser, lambda: find(browser, "model").text)
    return browser


def find(page, name):
    return page.find_element(By.ID, name)


def until_labels(page, *labels):
    until(page, lambda: page.execute_script(LABELS) == list(labels))


def until_status(page, message):
    until(page, lambda: message in find(page, "status").text)


def ask(page, text):
    box = find(page, "text")
    box.clear()
    box.send_keys(text)
    find(page, "find").click()


def toggle(page, label):
    page.find_element(By.XPATH, f"//label[contains(., '{label}')]/input").click()


def test_find_and_filter(page, url):
    requested_urls(page)
    page.get_log("browser")
    page.refresh()
    ask(page, TEXT)
    until_status(page, "4 of 4 entities shown")
    until_labels(page, *ALL)
    assert "<b>later</b>" in find(page, "drawing").text
    assert page.find_elements(By.CSS_SELECTOR, "#drawing .word i.gap")
    toggle(page, "DRUG")
    until_labels(page, *ALL[1:])
    # the score as displayed
    for score, labels in {"0.62": (ALL[1], ALL[3]), "0.70": (ALL[1],)}.items():
        set_value(page, find(page, "score"), score)
        until_labels(page, *labels)
        assert find(page, "score-value").text == score
    until_status(page, "1 of 4 entities shown")
    # the colors do not depend on the filter
    drawn = find(page, "drawing").get_attribute("innerHTML")
    assert choose_colors(["ADE", "DRUG"])["ADE"] in drawn
    # all requests are sent to the local server, and the browser reports no error
    addresses = requested_urls(page)
    assert {f"{url}predict", f"{url}draw"} <= set(addresses)
    assert all(address.startswith(url) for address in addresses)
    assert page.get_log("browser") == []


def test_only_visible_entities_are_saved(page):
    ask(page, TEXT)
    until_labels(page, *ALL)
    toggle(page, "ADE")
    until_labels(page, ALL[0])
    page.execute_script(
        "HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };"
        "URL.createObjectURL = (blob) => { blob.text().then((t) => { window.content = t; }); };"
        "URL.revokeObjectURL = () => {};"
    )
    page.find_element(By.CSS_SELECTOR, "[data-format=jsonl]").click()
    record = json.loads(until(page, lambda: page.execute_script("return window.content")))
    assert page.execute_script("return window.saved") == "entities.jsonl"
    assert (record["text"], [e["text"] for e in record["entities"]]) == (TEXT, ["Naproxen"])


def test_errors(page):
    ask(page, TEXT)
    until_labels(page, *ALL)
    ask(page, "x" * 501)
    until_status(page, "Too many characters: 501. The limit is 500 (--max-characters).")
    assert find(page, "status").get_attribute("class") == "error"
    # the drawing belongs to another text
    assert not find(page, "result").is_displayed()
    ask(page, "Nothing here.")
    until_status(page, "No entities found")


def test_keyboard(page):
    box = find(page, "text")
    box.clear()
    box.send_keys(TEXT)
    box.send_keys(Keys.CONTROL + Keys.ENTER)
    until_labels(page, *ALL)
    # only one button is emphasized
    colors = {}
    for button in page.find_elements(By.TAG_NAME, "button"):
        colors.setdefault(button.value_of_css_property("background-color"), []).append(button.text)
    assert sorted(colors.values()) == [["Find entities"], ["JSONL", "CSV", "brat"]]


def test_results_of_an_earlier_text(page):
    ask(page, TEXT)
    until_labels(page, *ALL)
    set_value(page, find(page, "score"), "0.70")
    until_labels(page, *ALL[:2])
    # editing fades the entities, until the text is the same again
    box, result = find(page, "text"), find(page, "result")
    box.send_keys("x")
    until_status(page, "The text has changed")
    assert float(result.value_of_css_property("opacity")) < 0.5
    assert axe_violations(page) == []
    box.send_keys(Keys.BACKSPACE)
    until_status(page, "2 of 4 entities shown")
    assert result.value_of_css_property("opacity") == "1"
    # the same text keeps the minimum score, another text does not
    find(page, "find").click()
    until_labels(page, *ALL[:2])
    ask(page, "severe joint and back pain")
    until_labels(page, "severe ADE 0.75")
    assert find(page, "score-value").text == "0.00"


def test_no_text_and_no_server(browser, nlp, pipe):
    port, stop = serve(create_app(nlp, pipe))
    visit(browser, f"http://127.0.0.1:{port}/")
    requested_urls(browser)
    for text in ("", " \n "):
        ask(browser, text)
        until_status(browser, "Enter a text first.")
        assert browser.switch_to.active_element == find(browser, "text")
    assert requested_urls(browser) == []
    ask(browser, TEXT)
    until_labels(browser, *ALL)
    stop()
    browser.find_element(By.CSS_SELECTOR, "[data-format=jsonl]").click()
    until_status(
        browser, "The server does not respond. Start it again, and press the button again."
    )
    ask(browser, "no pain")
    until(browser, lambda: find(browser, "find").is_enabled())
    until_status(browser, "The server does not respond.")
    assert not find(browser, "result").is_displayed()
    browser.get_log("browser")


def test_pages_are_accessible(page, url):
    found = {"start": axe_violations(page)}
    ask(page, TEXT)
    until_labels(page, *ALL)
    found["entities"] = axe_violations(page)
    ask(page, "x" * 501)
    until_status(page, "Too many")
    found["error"] = axe_violations(page)
    page.find_element(By.LINK_TEXT, "API").click()
    until(page, lambda: page.title.endswith("API"))
    found["docs"] = axe_violations(page)
    assert not any(found.values()), found


def test_forced_colors(page):
    ask(page, TEXT)
    until_labels(page, *ALL)
    media = [{"name": "forced-colors", "value": "active"}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    try:
        styles = page.execute_script(BORDERS)
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert styles["main"] not in (styles["ground"], styles["button"])
    # bars have the color of the text
    assert styles["bars"] == [styles["text"]]


BORDERS = """
const border = (selector) => getComputedStyle(document.querySelector(selector)).borderTopColor;
const bars = [...document.querySelectorAll("#drawing i[data-n]")];
const { backgroundColor: ground, color: text } = getComputedStyle(document.body);
return { ground, text, main: border("button.main"), button: border("button.export"),
  bars: [...new Set(bars.map((bar) => getComputedStyle(bar).borderTopColor))] };
"""


@pytest.mark.parametrize("width", [1000, 400])
def test_nothing_is_wider_than_the_page(page, width):
    own = {"fragments": [{"start": 401, "end": 405}], "score": 0.5}
    entities = [{"label": label, **own} for label in ("L" * 300, "\u202eADE")]
    script = """
        const { fetch } = window, found = JSON.stringify(arguments[0]);
        window.fetch = (path, options) =>
          path === "predict" ? Promise.resolve(new Response(found)) : fetch(path, options);
        document.getElementById("text").value = arguments[0].text;
        document.getElementById("find").click();
    """
    with window_width(page, width):
        page.execute_script(script, {"text": "x" * 400 + " pain.", "entities": entities})
        until_status(page, "shown")
        assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_dropped_files(page):
    page.execute_script(DROP, TEXT)
    until_labels(page, *ALL)
    page.execute_script(DROP.replace("[arguments[0]]", "[new Uint8Array([70, 252, 114])]"))
    until_status(page, "not UTF-8")
    assert find(page, "text").get_attribute("value") == TEXT
