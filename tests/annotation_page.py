"""The page of annotate in a browser, and its server."""

import re

import spacy
from chromium import serve, set_value, until, visit
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys as Keys

from spacy_gapdner.apps.annotate.app import create_app
from spacy_gapdner.apps.annotate.guidelines import read_guidelines
from spacy_gapdner.apps.annotate.segmented_texts import Checker
from spacy_gapdner.apps.annotate.session import Session
from spacy_gapdner.apps.annotate.store import Texts
from spacy_gapdner.components.sentencizer import blank_pipeline
from spacy_gapdner.formats import TextEntity
from spacy_gapdner.inference.long_texts import LongTextPipeline

TEXT = "Naproxen gave severe joint, shoulder and back pain.\nMild nausea/vomiting later.\n"
WORDS = """
return [...document.querySelectorAll('.word')].filter(
  e => e.firstChild.textContent.trim() === arguments[0])[arguments[1]];
"""


class Finder:
    """Proposes pairs of words that start with given words, in texts that contain "propose"."""

    def __init__(self, words):
        self.name, self.version, self.words = "finder", 1, words
        self.model = LongTextPipeline(spacy.blank("en"), None)

    def describe(self):
        return "finder 1.0: F1 90.0 on development data"

    def swap(self, words):
        self.words = words
        self.version += 1

    async def propose(self, text):
        pairs = re.finditer(rf"\b({'|'.join(self.words.split())}) \w+", text)
        return [
            TextEntity("ADE", (pair.span(),), score=0.9 if pair[1] == "severe" else 0.596)
            for pair in (pairs if "propose" in text else ())
        ]


class Server:
    """Serves a folder. It can be killed, and started again at the same port."""

    def __init__(self, folder, labels="ADE,DRUG,SYMPTOM", **settings):
        self.folder, self.port, self.settings = folder, 0, settings
        self.labels = read_guidelines(labels, [folder])
        self.start()

    def start(self):
        self.proposer = Finder("severe Mild")
        settings = {"proposer": self.proposer, **self.settings}
        session = Session(Texts(self.folder), self.labels, Checker(blank_pipeline()), **settings)
        self.port, self.kill = serve(create_app(session), self.port)


class Page:
    """Performs the actions of a user, and reads the page."""

    def __init__(self, browser, server, name):
        self.browser, self.server, self.name = browser, server, name

    @property
    def ann(self):
        return self.server.folder / f"{self.name}.ann"

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.port}"

    def write(self, text=TEXT, ann=None):
        self.ann.with_suffix(".txt").write_text(text, encoding="utf-8", newline="")
        if ann is not None:
            self.ann.write_text(ann)
        self.load()

    def visit(self, name):
        # another address, so that the page is reloaded
        self.browser.get("about:blank")
        visit(self.browser, f"{self.address}/#{name}")

    def load(self, name=None):
        self.name = name or self.name
        self.visit(self.name)
        self.until(lambda: self.find("text-name").text == self.name)
        self.until(lambda: self.find("progress-text").text)

    def until(self, condition):
        return until(self.browser, condition)

    def find(self, name):
        return self.browser.find_element(By.ID, name)

    def word(self, text, n=0):
        return self.until(lambda: self.browser.execute_script(WORDS, text, n))

    def drag(self, first, last=None, key=None, from_x=0, to_x=4):
        # at the words, not at the bars under them
        chain = ActionChains(self.browser, duration=0)
        ends = [self.word(first), self.word(last or first)]
        above = [8 - element.size["height"] // 2 for element in ends]
        if key:
            chain.key_down(key)
        chain.move_to_element_with_offset(ends[0], from_x, above[0]).click_and_hold()
        chain.move_to_element_with_offset(ends[1], to_x + 1, above[1])
        chain.move_to_element_with_offset(ends[1], to_x + 5, above[1]).release()
        if key:
            chain.key_up(key)
        chain.perform()

    def press(self, *keys, held=()):
        chain = ActionChains(self.browser, duration=0)
        for key in held:
            chain.key_down(key)
        chain.send_keys(*keys)
        for key in held:
            chain.key_up(key)
        chain.perform()

    def set_score(self, score):
        set_value(self.browser, self.find("score"), score)

    def choose(self, name, value):
        """Choose an option of a select element that is opened by mouse."""
        ActionChains(self.browser).click(self.find(name)).send_keys(value, Keys.ENTER).perform()

    def click(self, command):
        self.browser.find_element(By.CSS_SELECTOR, f"[data-command={command}]").click()

    def click_bar(self, title):
        self.browser.find_element(By.CSS_SELECTOR, f"i[title='{title}']").click()

    def click_label(self, text):
        self.browser.find_element(By.XPATH, f"//button[.='{text}']").click()

    def saved(self):
        self.until(lambda: self.find("saving-text").text == "Saved")

    def entities(self):
        """The types and words of the entities in the file."""
        self.saved()
        lines = self.ann.read_text(encoding="utf-8").splitlines() if self.ann.exists() else []
        fields = [line.split("\t") for line in lines if line.startswith("T")]
        return sorted(f"{place.split()[0]} {text}" for _, place, text in fields)

    def shown(self):
        """The labels on the page, with warnings, sources and scores."""
        labels = "[...document.querySelectorAll('.word i:not([data-repeated]) b')]"
        script = f"return {labels}.map(e => e.textContent)"
        return self.browser.execute_script(script)

    def hint(self):
        """The text above the choices."""
        self.until(self.find("choice").is_displayed)
        return self.find("choice").find_element(By.CSS_SELECTOR, "[role=status]").text

    def choices(self):
        dialog = self.find("choice")
        self.until(dialog.is_displayed)
        items = dialog.find_elements(By.TAG_NAME, "li")
        return [item.text.removeprefix(str(i)) for i, item in enumerate(items, 1)]
