"""Annotate sentences of a brat corpus in the browser, and count the gestures.

The script opens sentences in which discontinuous entities share fragments on the page of `gapdner
annotate`. It creates their entities with mouse and keyboard, and compares the saved files with the
corpus. Gestures are drags, double clicks, clicks and keys, except Shift and Alt.

The gestures in brat are counted by its dialogs: a drag, the key of the type unless it is the first
one, and OK. Each other fragment takes a double click on the entity, "Add Frag.", a drag and OK.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import typer
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from spacy_gapdner.entities import Fragments
from spacy_gapdner.formats import Report
from spacy_gapdner.formats.brat import read_brat

TOKEN_BOUNDS = """
return [...document.querySelectorAll('.word')].flatMap(
  e => [Number(e.dataset.start), Number(e.dataset.end)]);
"""
POSITIONS = """
const [start, end] = arguments;
const at = (offset, side) => {
  const word = [...document.querySelectorAll('.word')].findLast(e => e.dataset.start <= offset);
  const range = document.createRange();
  range.setStart(word.firstChild, offset - word.dataset.start);
  range.setEnd(word.firstChild, offset - word.dataset.start + 1);
  const box = range.getBoundingClientRect();
  return [box[side], (box.top + box.bottom) / 2];
};
return [at(start, 'left'), at(end - 1, 'right')];
"""
COMBINE = """
const [text, selections, done] = arguments;
import(new URL('js/coordination.js', location)).then(
  (m) => done(selections.map((selection) => m.combinations(selection, text))));
"""


class Mark(NamedTuple):
    """An entity with character offsets."""

    label: str
    fragments: Fragments


class Plan(NamedTuple):
    """Ranges to select: the fragments of an entity, or a coordination to split. Of the entities of
    a coordination, some are rejected."""

    label: str
    ranges: Fragments
    is_split: bool
    rejected: tuple[int, ...]
    created: frozenset[Mark]

    @property
    def saved(self) -> tuple[int, int, str]:
        """RETURNS (tuple[int, int, str]): Sort key: the number of saved gestures, then of ranges,
        because an entity must not start with an existing fragment."""
        gestures = len(self.ranges) + (2 + len(self.rejected) if self.is_split else 0)
        fragments = sum(len(mark.fragments) for mark in self.created)
        return fragments - gestures, len(self.ranges), str(sorted(self.created))


def find_sentences(corpus: Path) -> Iterator[tuple[str, set[Mark]]]:
    """Find lines, and their entities, in which discontinuous entities of the same type share a
    fragment."""
    for record in read_brat(corpus, Report()):
        start = 0
        for line in record.text.split("\n"):
            end = start + len(line)
            marks = {
                Mark(e.label, tuple((s - start, e - start) for s, e in e.fragments))
                for e in record.entities
                if start <= e.fragments[0][0] and e.fragments[-1][1] <= end
            }
            start = end + 1
            pairs = combinations([m for m in marks if len(m.fragments) > 1], 2)
            if len(line) < 250 and any(
                a.label == b.label and set(a.fragments) & set(b.fragments) for a, b in pairs
            ):
                yield line, marks


class Annotator:
    """Annotates like a user, and counts the gestures. The labels are in the order of their keys."""

    def __init__(self, browser: webdriver.Chrome, labels: list[str]) -> None:
        self.browser, self.labels = browser, labels
        self.label = labels[0]
        self.n_gestures = 0

    def annotate(self, text: str, gold: set[Mark]) -> None:
        """Create all entities of the open text."""
        missing = set(gold)
        bounds = set(self.browser.execute_script(TOKEN_BOUNDS))
        while missing:
            plans = [Plan(m.label, m.fragments, False, (), frozenset([m])) for m in missing]
            for label in {mark.label for mark in missing}:
                plans += self._splits(text, label, gold, missing)
            plan = max(plans, key=lambda plan: plan.saved)
            self._carry_out(plan, bounds)
            missing -= plan.created

    def _splits(self, text: str, label: str, gold: set[Mark], missing: set[Mark]) -> Iterator[Plan]:
        fragments = {f for mark in missing if mark.label == label for f in mark.fragments}
        starts, ends = ({f[side] for f in fragments} for side in (0, 1))
        # in the fragment "severe joint", only "joint" may belong to the coordination
        for start, end in fragments:
            starts |= {e + 1 for e in ends if start < e < end and text[e].isspace()}
            ends |= {s - 1 for s in starts if start < s < end and text[s - 1].isspace()}
        ranges = sorted((s, e) for s in starts for e in ends if s < e)
        selections = [
            selection
            for n in (2, 3)
            for selection in combinations(ranges, n)
            if all(a[1] <= b[0] for a, b in pairwise(selection))
        ]
        found = self.browser.execute_async_script(COMBINE, text, selections)
        for selection, entities in zip(selections, found, strict=True):
            marks = [Mark(label, tuple((s, e) for s, e in entity)) for entity in entities]
            rejected = tuple(i for i, mark in enumerate(marks) if mark not in gold)
            created = frozenset(marks) & missing
            if len(marks) > 1 and created and len(rejected) < 5:
                yield Plan(label, selection, True, rejected, created)

    def _carry_out(self, plan: Plan, bounds: set[int]) -> None:
        first = plan.ranges[0]
        if self.label != plan.label:
            self._set_label(plan.label)
        self._select(first, bounds)
        for other in plan.ranges[1:]:
            self._select(other, bounds, adds=True)
        if plan.is_split:
            self._press("c")
            for key in (*(str(i + 1) for i in plan.rejected), Keys.ENTER):
                self._press(key)

    def _set_label(self, label: str) -> None:
        i = self.labels.index(label)
        if i < 9:
            self._press(str(i + 1))
        else:
            self.n_gestures += 1
            self.browser.find_elements(By.CSS_SELECTOR, "#labels button")[i].click()
        self.label = label

    def _press(self, key: str) -> None:
        self.n_gestures += 1
        ActionChains(self.browser, duration=0).send_keys(key).perform()

    def _select(self, chars: tuple[int, int], bounds: set[int], adds: bool = False) -> None:
        self.n_gestures += 1
        (left, y), (right, y_end) = self.browser.execute_script(POSITIONS, *chars)
        chain = ActionChains(self.browser, duration=0)
        is_part = not {*chars} <= bounds
        modifiers = [Keys.SHIFT] * adds + [Keys.ALT] * is_part
        inset = 0 if is_part else 2
        for key in modifiers:
            chain.key_down(key)
        pointer = chain.w3c_actions.pointer_action
        pointer.move_to_location(left + inset, y).pointer_down()
        if not is_part and not any(chars[0] < bound < chars[1] for bound in bounds):
            # a single word: a double click, or a click with Shift
            pointer.pointer_up()
            if not adds:
                pointer.pointer_down().pointer_up()
        else:
            pointer.move_to_location((left + right) / 2, y)
            pointer.move_to_location(right - inset, y_end).pointer_up()
        # keyboard and pointer actions run in parallel
        for _ in range(8):
            chain.w3c_actions.key_action.pause(0)
        for key in modifiers:
            chain.key_up(key)
        chain.perform()


def open_browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"):
        options.add_argument(flag)
    return webdriver.Chrome(options, Service(shutil.which("chromedriver")))


@contextmanager
def serve(folder: Path, *options: str) -> Iterator[str]:
    """Run `gapdner annotate` on a folder. Yields the address of the page."""
    command = [sys.executable, "-m", "spacy", "gapdner", "annotate", str(folder), "--port", "0"]
    server = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield next(line.strip() for line in server.stdout if line.startswith("http"))
    finally:
        server.terminate()
        server.wait()


def main(
    corpus: Path = typer.Argument(..., help="Folder of .txt and .ann files"),
    n_sentences: int = typer.Option(10, "--sentences", "-n", help="Number of sentences"),
    seed: int = typer.Option(0, help="Random seed to sample sentences"),
) -> None:
    """Annotate sentences in the browser, compare them with the corpus, and count gestures."""
    sentences = random.Random(seed).sample(list(find_sentences(corpus)), n_sentences)
    labels = sorted({mark.label for _, gold in sentences for mark in gold})
    total = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as name, open_browser() as browser:
        folder = Path(name)
        for i, (text, _) in enumerate(sentences):
            (folder / f"{i:02}.txt").write_text(text, encoding="utf-8", newline="")
        with serve(folder, "--labels", ",".join(labels)) as address:
            browser.get(address)
            user = Annotator(browser, labels)
            wait = WebDriverWait(browser, 60, 0.05)
            for i, (text, gold) in enumerate(sentences):
                wait.until(
                    lambda _, i=i: browser.find_element(By.ID, "text-name").text == f"{i:02}"
                )
                user.n_gestures = 0
                user.annotate(text, gold)
                wait.until(lambda _: browser.find_element(By.ID, "saving-text").text == "Saved")
                (record,) = read_brat(folder / f"{i:02}.ann", Report())
                is_equal = {Mark(e.label, e.fragments) for e in record.entities} == gold
                in_brat = sum(3 - (m.label == labels[0]) + 4 * (len(m.fragments) - 1) for m in gold)
                print(
                    f"{i + 1:2}: {len(gold):2} entities: {user.n_gestures} gestures, "
                    f"{in_brat} in brat, {'equal' if is_equal else 'NOT EQUAL'}"
                )
                counts = (len(gold), is_equal, user.n_gestures, in_brat)
                total = [a + b for a, b in zip(total, counts, strict=True)]
                ActionChains(browser).send_keys("d").perform()
    n_entities, n_equal, n_gestures, in_brat = total
    print(
        f"{n_entities} entities, {n_equal} of {n_sentences} sentences equal: "
        f"{n_gestures} gestures, {in_brat} in brat"
    )
    if n_equal < n_sentences:
        raise SystemExit(1)


if __name__ == "__main__":
    typer.run(main)
