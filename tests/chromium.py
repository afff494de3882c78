"""Chromium without a window, for the pages that people look at, and servers of such pages."""

import json
import shutil
import threading
import time

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
if not CHROMIUM or not CHROMEDRIVER:
    pytest.skip("chromium or chromedriver is not installed", allow_module_level=True)

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--window-size=1200,900"),
)


def open_browser(folder):
    """A browser whose profile lies in a folder; to be closed as a context."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    options.set_capability("unhandledPromptBehavior", "accept")
    browser = webdriver.Chrome(options, Service(CHROMEDRIVER))
    browser.set_script_timeout(60)
    return browser


def asked(browser):
    """The addresses that a page has asked for since they were last looked up."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]


def serve(app, port=0):
    """Answer in a thread; returns the port, and what ends it."""
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn (extra serve) is not installed")
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + 60
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)

    def end():
        server.should_exit = server.force_exit = True
        thread.join(60)

    return server.servers[0].sockets[0].getsockname()[1], end
