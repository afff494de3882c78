"""Chromium without a window, and servers of the pages that it shows."""

import json
import shutil
import threading
import time
from contextlib import contextmanager
from importlib.resources import files

import pytest
import uvicorn
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
if not CHROMIUM or not CHROMEDRIVER:
    pytest.skip("chromium or chromedriver is not installed", allow_module_level=True)

# the package is only used for its copy of axe-core
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RUN_AXE = """
const done = arguments[0];
const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
axe.run({runOnly: {type: "tag", values}, resultTypes: ["violations"]}).then(
  ({violations}) => done(violations.flatMap(({id, nodes}) => nodes.map(
    ({target, failureSummary}) => `${id}: ${target.join(" ")}: ${failureSummary}`))),
  (error) => done([String(error)]));
"""
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--window-size=1200,900"),
)


def open_browser(folder):
    """A browser with its profile in a folder, to be used as a context manager."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    options.set_capability("unhandledPromptBehavior", "accept")
    browser = webdriver.Chrome(options, Service(CHROMEDRIVER))
    browser.set_script_timeout(60)
    browser.set_page_load_timeout(20)
    return browser


def visit(browser, address):
    """Load a page. Chromium sometimes never sends the request, so there is a second attempt."""
    try:
        browser.get(address)
    except TimeoutException:
        browser.get(address)


def until(browser, condition):
    """Wait for a condition and return its value."""
    # elements may be redrawn in the meantime
    wait = WebDriverWait(browser, 60, 0.03, [StaleElementReferenceException])
    return wait.until(lambda _: condition())


def set_value(browser, element, value):
    """Set the value of an input element, such as a slider."""
    script = "const [element, value] = arguments; element.value = value;"
    script += "element.dispatchEvent(new Event('input', {bubbles: true}))"
    browser.execute_script(script, element, value)


@contextmanager
def window_width(browser, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def axe_violations(browser):
    """What axe-core reports on the open page, in both color schemes and at two widths."""
    found = []
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(AXE)
    for width in (1280, 400):
        with window_width(browser, width):
            for scheme in ("light", "dark"):
                features = [{"name": "prefers-color-scheme", "value": scheme}]
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
                violations = browser.execute_async_script(RUN_AXE)
                found += [f"{width}, {scheme}: {violation}" for violation in violations]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    return found


def requested_urls(browser):
    """The addresses that the browser has requested since the last call."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]


def serve(app, port=0):
    """Run a server in a thread. Returns its port and a function that stops it."""
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    end = time.monotonic() + 60
    while not server.started and time.monotonic() < end:
        time.sleep(0.02)

    def stop():
        server.should_exit = server.force_exit = True
        thread.join(60)

    return server.servers[0].sockets[0].getsockname()[1], stop
