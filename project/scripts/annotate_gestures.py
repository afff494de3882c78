"""Annotate sentences with coordinations from scratch in the browser, and count the gestures.

Takes sentences of a brat corpus in which discontinuous entities share fragments, opens each on the
page of `gapdner annotate`, makes its entities with mouse and keys, and compares the files with the
corpus. Gestures are drags, double clicks, clicks and keys (Shift or Alt held is none by itself).

brat's are counted by its dialogs, at their best: a drag, the type's key unless it is the first of
the list, and OK; for each further fragment a double click on the entity, "Add Frag.", a drag, OK.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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

Fragments = tuple[tuple[int, int], ...]

PLACES = """
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
const [text, markings, done] = arguments;
import(new URL('js/coordination.js', location)).then(
  (m) => done(markings.map((marking) => m.combinations(marking, text))));
"""


class Mark(NamedTuple):
    """An entity: its type and its fragments in characters."""

    label: str
    fragments: Fragments


class Plan(NamedTuple):
    """Marked ranges, which are one entity or are split; what is unticked then; what results."""

    label: str
    ranges: Fragments
    is_split: bool
    unticked: tuple[int, ...]
    made: frozenset[Mark]

    @property
    def n_gestures(self) -> int:
        """RETURNS (int): Drags, the key to split and the one to take, and those that untick."""
        return len(self.ranges) + (2 + len(self.unticked) if self.is_split else 0)


def join(fragments: list[tuple[int, int]], text: str) -> Fragments:
    """RETURNS (Fragments): Sorted, and joined where only spaces lie between."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(fragments):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def read_marks(path: Path, text: str) -> set[Mark]:
    """RETURNS (set[Mark]): The entities of an annotation file."""
    marks = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("T"):
            label, places = line.split("\t")[1].split(" ", 1)
            pairs = [tuple(map(int, place.split())) for place in places.split(";")]
            marks.add(Mark(label, join([(start, end) for start, end in pairs], text)))
    return marks


def find_sentences(corpus: Path) -> Iterator[tuple[str, set[Mark]]]:
    """Find lines in which discontinuous entities of one type share a fragment.

    corpus (Path): A folder of .txt and .ann files.
    YIELDS (tuple[str, set[Mark]]): The line and its entities.
    """
    for path in sorted(corpus.rglob("*.txt")):
        text = path.read_bytes().decode("utf-8")
        marks = read_marks(path.with_suffix(".ann"), text)
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            own = {
                Mark(m.label, tuple((s - start, e - start) for s, e in m.fragments))
                for m in marks
                if start <= m.fragments[0][0] and m.fragments[-1][1] <= end
            }
            start = end + 1
            pairs = combinations([m for m in own if len(m.fragments) > 1], 2)
            if len(line) < 250 and any(
                a.label == b.label and set(a.fragments) & set(b.fragments) for a, b in pairs
            ):
                yield line, own


class Annotator:
    """Makes entities as a user does, and counts the gestures.

    browser (webdriver.Chrome): The browser.
    labels (list[str]): The types, in the order of their keys.
    """

    def __init__(self, browser: webdriver.Chrome, labels: list[str]) -> None:
        self.browser, self.labels = browser, labels
        self.label = labels[0]
        self.n_gestures = 0

    def annotate(self, text: str, gold: set[Mark]) -> None:
        """Make all entities of the text that is open."""
        left = set(gold)
        bounds = self._token_bounds()
        while left:
            plan = max(self._plans(text, gold, left), key=self._gain)
            self._carry_out(plan, gold - left, bounds)
            left -= plan.made

    def _token_bounds(self) -> set[int]:
        script = (
            "return [...document.querySelectorAll('.word')].flatMap("
            "e => [Number(e.dataset.start), Number(e.dataset.end)])"
        )
        return set(self.browser.execute_script(script))

    @staticmethod
    def _gain(plan: Plan) -> tuple[int, int, str]:
        saved = sum(len(mark.fragments) for mark in plan.made) - plan.n_gestures
        # one entity after the other: those with several fragments first, which begin as others are
        return saved, len(plan.ranges), str(sorted(plan.made))

    def _plans(self, text: str, gold: set[Mark], left: set[Mark]) -> Iterator[Plan]:
        for mark in left:
            yield Plan(mark.label, mark.fragments, False, (), frozenset([mark]))
        for label in {mark.label for mark in left}:
            yield from self._splits(text, label, gold, left)

    def _splits(self, text: str, label: str, gold: set[Mark], left: set[Mark]) -> Iterator[Plan]:
        own = [mark for mark in left if mark.label == label]
        starts = {start for mark in own for start, _ in mark.fragments}
        ends = {end for mark in own for _, end in mark.fragments}
        # "severe joint" is one fragment, of which "joint" may belong to the coordination
        for start, end in {pair for mark in own for pair in mark.fragments}:
            starts |= {e + 1 for e in ends if start < e < end and text[e].isspace()}
            ends |= {s - 1 for s in starts if start < s < end and text[s - 1].isspace()}
        ranges = sorted((s, e) for s in starts for e in ends if s < e)
        markings = [
            marking
            for n in (1, 2, 3)
            for marking in combinations(ranges, n)
            if all(a[1] <= b[0] for a, b in pairwise(marking))
        ]
        found = self.browser.execute_async_script(COMBINE, text, markings)
        for marking, made in zip(markings, found, strict=True):
            marks = [Mark(label, tuple((s, e) for s, e in fragments)) for fragments in made]
            unticked = tuple(i for i, mark in enumerate(marks) if mark not in gold)
            kept = frozenset(marks) & left
            if len(marks) > 1 and kept and len(unticked) < 5:
                yield Plan(label, marking, True, unticked, kept)

    def _carry_out(self, plan: Plan, made: set[Mark], bounds: set[int]) -> None:
        first = plan.ranges[0]
        # what is there already would be chosen, and get the other type
        if Mark(self.label, (first,)) in made and self.label != plan.label:
            self._press(Keys.ESCAPE)
            self._set_label(plan.label)
        self._mark(first, bounds)
        if self.label != plan.label:
            self._set_label(plan.label)
        for other in plan.ranges[1:]:
            self._mark(other, bounds, adds=True)
        if plan.is_split:
            self._press("c")
            for i in plan.unticked:
                self._press(str(i + 1))
            self._press(Keys.ENTER)

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

    def _mark(self, place: tuple[int, int], bounds: set[int], adds: bool = False) -> None:
        self.n_gestures += 1
        (left, y), (right, below) = self.browser.execute_script(PLACES, *place)
        chain = ActionChains(self.browser, duration=0)
        is_cut = not {*place} <= bounds
        held = [Keys.SHIFT] * adds + [Keys.ALT] * is_cut
        inset = 0 if is_cut else 2
        for key in held:
            chain.key_down(key)
        pointer = chain.w3c_actions.pointer_action
        pointer.move_to_location(left + inset, y).pointer_down()
        if not any(place[0] < bound < place[1] for bound in bounds) and not is_cut:
            # a word: a double click, or a click with Shift
            pointer.pointer_up()
            if not adds:
                pointer.pointer_down().pointer_up()
        else:
            pointer.move_to_location((left + right) / 2, y)
            pointer.move_to_location(right - inset, below).pointer_up()
        # both devices do something at each tick
        for _ in range(8):
            chain.w3c_actions.key_action.pause(0)
        for key in held:
            chain.key_up(key)
        chain.perform()


def count_in_brat(gold: set[Mark], first: str) -> int:
    """RETURNS (int): Gestures in brat's dialogs."""
    return sum(3 - (m.label == first) + 4 * (len(m.fragments) - 1) for m in gold)


def open_page(folder: Path, labels: list[str]) -> tuple[subprocess.Popen[str], str]:
    """RETURNS (tuple[Popen, str]): The server of a folder, and its address."""
    command = [sys.executable, "-m", "spacy", "gapdner", "annotate", str(folder)]
    command += ["--labels", ",".join(labels), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return server, next(line.strip() for line in server.stdout or () if line.startswith("http"))


def open_browser() -> webdriver.Chrome:
    """RETURNS (webdriver.Chrome): A headless browser."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"):
        options.add_argument(flag)
    return webdriver.Chrome(options, Service(shutil.which("chromedriver")))


def main(
    corpus: Path = typer.Argument(..., help="Folder of .txt and .ann files"),
    n_sentences: int = typer.Option(10, "--sentences", "-n", help="How many to annotate"),
    seed: int = typer.Option(0, help="Chooses them"),
) -> None:
    """Annotate sentences in the browser, compare them with the corpus, count gestures."""
    sentences = random.Random(seed).sample(list(find_sentences(corpus)), n_sentences)
    labels = sorted({mark.label for _, gold in sentences for mark in gold})
    with tempfile.TemporaryDirectory() as name, open_browser() as browser:
        folder = Path(name)
        for i, (text, _) in enumerate(sentences):
            (folder / f"{i:02}.txt").write_text(text, encoding="utf-8", newline="")
        server, address = open_page(folder, labels)
        total = {"page": 0, "brat": 0, "entities": 0, "equal": 0}
        try:
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
                is_equal = read_marks(folder / f"{i:02}.ann", text) == gold
                in_brat = count_in_brat(gold, labels[0])
                n_split = sum(len(mark.fragments) > 1 for mark in gold)
                print(
                    f"{i + 1:2}: {len(gold):2} entities, {n_split} discontinuous: {user.n_gestures}"
                    f" gestures, {in_brat} in brat, {'equal' if is_equal else 'NOT EQUAL'}"
                )
                counts = (user.n_gestures, in_brat, len(gold), is_equal)
                total = {key: total[key] + n for key, n in zip(total, counts, strict=True)}
                ActionChains(browser).send_keys("d").perform()
        finally:
            server.terminate()
            server.wait()
    print(
        f"{total['entities']} entities, {total['equal']} of {n_sentences} sentences equal: "
        f"{total['page']} gestures, {total['brat']} in brat"
    )
    if total["equal"] < n_sentences:
        raise SystemExit(1)


if __name__ == "__main__":
    typer.run(main)
