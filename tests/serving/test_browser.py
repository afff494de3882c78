"""The page in a browser: type, see, filter, save, drop, and what is refused."""

import json
import re
import time

import pytest

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")

from chromium import asked, open_browser, serve
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from spacy_gapdner.drawing.colors import choose_colors
from spacy_gapdner.serving.app import create_app

pytestmark = pytest.mark.slow
TEXT = "Naproxen gave severe joint and back pain.\nMild nausea <b>later</b>."
# labels with the words that they stand under
ALL = [
    "Naproxen DRUG 0.98",
    "severe ADE 0.81",
    "severe ADE 0.44",
    "Mild ADE 0.62",
]


@pytest.fixture(scope="module")
def url(nlp):
    """Address of a server of the page."""
    port, end = serve(create_app(nlp, "gapdner", max_characters=500))
    yield f"http://127.0.0.1:{port}/"
    end()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with open_browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture
def page(browser, url):
    browser.get(url)
    # the last that a page asks for while it loads
    until(browser, lambda: find(browser, "model").text)
    return browser


def until(page, condition):
    # what is read may be drawn anew meanwhile
    wait = WebDriverWait(page, 20, ignored_exceptions=[StaleElementReferenceException])
    return wait.until(lambda _: condition())


def find(page, name):
    return page.find_element(By.ID, name)


def listed(page):
    # drawn anew at any moment
    script = (
        "return [...document.querySelectorAll('#drawing [data-label]')].map("
        "e => e.closest('.word').firstChild.textContent.trim() + ' ' + e.dataset.label)"
    )
    return page.execute_script(script)


def ask(page, text):
    box = find(page, "text")
    box.clear()
    box.send_keys(text)
    find(page, "find").click()


def status(page):
    return find(page, "status").text


def test_type_and_see(page):
    ask(page, TEXT)
    until(page, lambda: status(page) == "4 of 4 entities shown")
    assert listed(page) == ALL
    assert "<b>later</b>" in find(page, "drawing").text
    colors = {
        bar.value_of_css_property("border-top-color")
        for bar in page.find_elements(By.CSS_SELECTOR, "#drawing .word i.fragment")
    }
    assert len(colors) == 2
    assert page.find_elements(By.CSS_SELECTOR, "#drawing .word i.gap")


def test_filter_by_type_and_score(page):
    ask(page, TEXT)
    until(page, lambda: listed(page) == ALL)
    page.find_element(By.XPATH, "//label[contains(., 'DRUG')]/input").click()
    until(page, lambda: listed(page) == ALL[1:])
    page.execute_script(
        "const s = document.getElementById('score'); s.value = '0.7';"
        "s.dispatchEvent(new Event('input'));"
    )
    until(page, lambda: listed(page) == [ALL[1]])
    assert status(page) == "1 of 4 entities shown"
    drawn = find(page, "drawing").get_attribute("innerHTML")
    assert f"--type-0: {choose_colors(['ADE', 'DRUG'])['ADE']}" in drawn
    assert find(page, "score-value").text == "0.70"


def test_save_what_is_shown(page):
    ask(page, TEXT)
    until(page, lambda: listed(page) == ALL)
    page.find_element(By.XPATH, "//label[contains(., 'ADE')]/input").click()
    until(page, lambda: listed(page) == ALL[:1])
    page.execute_script(
        "HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };"
        "URL.createObjectURL = (blob) => { blob.text().then((t) => { window.content = t; }); };"
        "URL.revokeObjectURL = () => {};"
    )
    page.find_element(By.CSS_SELECTOR, "[data-format=jsonl]").click()
    record = json.loads(until(page, lambda: page.execute_script("return window.content")))
    assert page.execute_script("return window.saved") == "entities.jsonl"
    assert (record["text"], [e["text"] for e in record["entities"]]) == (TEXT, ["Naproxen"])


def test_too_long_a_text_is_refused(page):
    ask(page, TEXT)
    until(page, lambda: listed(page) == ALL)
    ask(page, "x" * 501)
    until(page, lambda: "Too many characters: 501. The maximum is 500." in status(page))
    assert find(page, "status").get_attribute("class") == "error"
    assert find(page, "find").is_enabled()
    # the drawing would be that of another text
    assert not find(page, "result").is_displayed()
    ask(page, "Nothing here.")
    until(page, lambda: status(page) == "No entities found")


DRAWN = {
    "text": "x" * 400 + " pain.",
    "entities": [
        {"label": "L" * 300, "fragments": [{"start": 401, "end": 405}]},
        {"label": "\u202eADE", "fragments": [{"start": 401, "end": 405}], "score": 0.5},
    ],
}


@pytest.mark.parametrize("width", [1000, 400])
def test_nothing_is_wider_than_the_page(page, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page.execute_script("found = arguments[0]; listTypes(); draw();", DRAWN)
    page.execute_script("document.getElementById('result').hidden = false;")
    until(page, lambda: "shown" in status(page))
    scrolled = page.execute_script("return document.documentElement.scrollWidth")
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert scrolled <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_errors_can_be_read(page, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.execute_script("say('wrong', true);")
    color = "return ['color', 'backgroundColor'].map((name, i) => getComputedStyle("
    color += "i ? document.body : document.getElementById('status'))[name])"
    one, other = sorted(map(luminance, page.execute_script(color)))
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    # what the Web Content Accessibility Guidelines ask for
    assert (other + 0.05) / (one + 0.05) >= 4.5


def luminance(color):
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


DROP = """
const data = new DataTransfer();
data.items.add(new File([arguments[0]], "note.txt", {type: "text/plain"}));
document.getElementById("text").dispatchEvent(
  new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
"""


def test_drop_a_file(page):
    page.execute_script(DROP, TEXT)
    until(page, lambda: listed(page) == ALL)
    assert find(page, "text").get_attribute("value") == TEXT


def test_a_late_drawing_says_nothing_while_another_text_is_read(page):
    ask(page, TEXT)
    until(page, lambda: listed(page) == ALL)
    # drawings wait for a sign
    page.execute_script(
        "const real = window.fetch;"
        "window.sign = new Promise((go) => { window.go = go; });"
        "window.fetch = async (path, ...rest) => {"
        "  if (path === 'draw') await window.sign; return real(path, ...rest); };"
    )
    page.find_element(By.XPATH, "//label[contains(., 'DRUG')]/input").click()
    page.execute_script(DROP, "x" * 501)
    until(page, lambda: "characters: 501" in status(page))
    page.execute_script("window.go();")
    time.sleep(0.3)
    assert "characters: 501" in status(page)
    assert not find(page, "result").is_displayed()


def test_a_file_that_is_no_text_is_refused(page):
    page.execute_script(DROP.replace("[arguments[0]]", "[new Uint8Array([70, 252, 114])]"))
    until(page, lambda: "not UTF-8" in status(page))
    assert "F" not in find(page, "text").get_attribute("value")


def test_nothing_leaves_the_host_and_nothing_is_refused(page, url):
    asked(page)
    page.get_log("browser")
    page.refresh()
    ask(page, TEXT)
    until(page, lambda: listed(page) == ALL)
    addresses = asked(page)
    assert {f"{url}predict", f"{url}draw"} <= set(addresses)
    assert all(address.startswith(url) for address in addresses)
    assert page.get_log("browser") == []
