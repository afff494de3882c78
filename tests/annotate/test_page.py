"""The page in a browser: every gesture by mouse and by keyboard, and what must not be lost."""

import json
import shutil
import time

import pytest

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")
pytest.importorskip("uvicorn", reason="uvicorn (extra serve) is not installed")
pytest.importorskip("selenium", reason="selenium is not installed")

from annotation_page import TEXT, Page, Server
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from spacy_gapdner.annotate.settling import Settling

pytestmark = pytest.mark.slow
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
if not CHROMIUM or not CHROMEDRIVER:
    pytest.skip("chromium or chromedriver is not installed", allow_module_level=True)

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--window-size=1200,900"),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    (folder / "first.txt").write_text(TEXT)
    server = Server(folder)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    options.set_capability("unhandledPromptBehavior", "accept")
    with webdriver.Chrome(options, Service(CHROMEDRIVER)) as browser:
        browser.set_script_timeout(60)
        yield browser


@pytest.fixture
def page(browser, server, request):
    return Page(browser, server, request.node.name.split("[")[0])


def test_entities_by_mouse(page):
    page.write()
    page.drag("severe", "joint")
    assert page.entities() == ["ADE severe joint"]
    page.drag("pain", key=Keys.SHIFT)
    assert page.entities() == ["ADE severe joint pain"]
    page.browser.find_element(By.XPATH, "//button[.='2DRUG']").click()
    assert page.entities() == ["DRUG severe joint pain"]
    # words that are there are taken out
    page.drag("severe", key=Keys.SHIFT)
    assert page.entities() == ["DRUG joint pain"]
    page.find("chosen").find_element(By.CSS_SELECTOR, "[aria-label='Take out pain']").click()
    assert page.entities() == ["DRUG joint"]
    page.click("add")
    page.drag("Mild")
    assert page.entities() == ["DRUG joint Mild"]
    page.click("delete")
    assert page.entities() == []
    page.click("undo")
    assert page.entities() == ["DRUG joint Mild"]
    page.click("redo")
    assert page.entities() == []
    ActionChains(page.browser).double_click(page.word("nausea")).perform()
    page.until(lambda: page.entities() == ["DRUG nausea"])
    # the first click draws the word anew
    page.drag("Mild", "nausea")
    ActionChains(page.browser).double_click(page.word("Mild")).perform()
    page.until(lambda: page.entities() == ["DRUG Mild", "DRUG Mild nausea", "DRUG nausea"])


def test_entities_by_keyboard(page):
    page.write()
    page.press(Keys.RIGHT * 2)
    page.press(Keys.RIGHT, held=[Keys.SHIFT])
    page.press(Keys.ENTER)
    assert page.entities() == ["ADE severe joint"]
    # the cursor stands at the last word of the entity: comma, shoulder, and, back, pain
    page.press(Keys.RIGHT * 5, "+")
    assert page.entities() == ["ADE severe joint pain"]
    page.press("3")
    assert page.entities() == ["SYMPTOM severe joint pain"]
    page.press(Keys.BACKSPACE)
    assert page.entities() == ["SYMPTOM severe joint"]
    page.press(Keys.DELETE)
    assert page.entities() == []
    for _ in range(3):
        page.press("z", held=[Keys.CONTROL])
    assert page.entities() == ["ADE severe joint pain"]
    page.press("z", held=[Keys.CONTROL, Keys.SHIFT])
    page.press("y", held=[Keys.CONTROL])
    assert page.entities() == ["SYMPTOM severe joint"]
    page.press(Keys.ESCAPE, Keys.DOWN)
    page.press(Keys.LEFT, held=[Keys.SHIFT])
    page.press("2")
    assert len(page.entities()) == 2


def test_characters_by_mouse_and_keyboard(page):
    page.write("hypertension now")
    width = page.word("hypertension").size["width"]
    page.drag("hypertension", key=Keys.ALT, from_x=4 - width // 2, to_x=-25)
    [made] = page.entities()
    assert "ADE hypertension".startswith(made)
    assert made != "ADE hypertension"
    page.press(Keys.DELETE)
    page.press(*[Keys.RIGHT] * 6, held=[Keys.ALT])
    page.press(Keys.RIGHT, held=[Keys.SHIFT])
    page.press(Keys.ENTER)
    page.until(lambda: page.entities() == ["ADE tension"])


def test_words_marked_as_the_browser_does(page):
    # a finger, held on a word; then the button
    page.write()
    script = (
        "getSelection().setBaseAndExtent(arguments[0].firstChild, 0, arguments[1].firstChild, 4)"
    )
    page.browser.execute_script(script, page.word("back"), page.word("pain"))
    page.click("make")
    assert page.entities() == ["ADE back pain"]
    page.browser.execute_script(script, page.word("severe"), page.word("back"))
    page.browser.find_element(By.XPATH, "//button[.='2DRUG']").click()
    assert page.entities() == ["ADE back pain", "DRUG severe joint, shoulder and back"]


@pytest.mark.parametrize("by_mouse", [True, False])
def test_coordination(page, by_mouse):
    page.ann.unlink(missing_ok=True)
    page.write()
    page.drag("joint", "back")
    page.drag("pain", key=Keys.SHIFT)
    page.drag("severe", key=Keys.SHIFT)
    if by_mouse:
        page.click("split")
    else:
        page.press("c")
    assert page.choices() == [
        "ADE severe joint … pain",
        "ADE severe … shoulder … pain",
        "ADE severe … back pain",
    ]
    if by_mouse:
        page.find("choice").find_elements(By.TAG_NAME, "input")[1].click()
        page.find("choice").find_element(By.CSS_SELECTOR, "button.main").click()
    else:
        page.press("2", Keys.ENTER)
    made = ["ADE severe back pain", "ADE severe joint pain"]
    assert page.entities() == made
    page.press("z", held=[Keys.CONTROL])
    assert page.entities() == ["ADE severe joint, shoulder and back pain"]


COMBINE = """
const [marked, done] = arguments;
import(new URL('js/coordination.js', location)).then(({combinations}) => {
  const text = marked.join(' ~ ');
  const ranges = marked.map((words) => [text.indexOf(words), text.indexOf(words) + words.length]);
  done(combinations(ranges, text).map(
    (fragments) => fragments.map(([start, end]) => text.slice(start, end)).join('_')));
});
"""


@pytest.mark.parametrize(
    ("marked", "parts"),
    [
        (["joint, shoulder, and back", "pain"], ["joint_pain", "shoulder_pain", "back_pain"]),
        (["nausea and/or vomiting"], ["nausea", "vomiting"]),
        (["a dose of 1,000 mg or 120/80"], ["a dose of 1,000 mg", "120/80"]),
        (["Arm- und Beinschmerzen"], ["Arm-", "Beinschmerzen"]),
        (["douleur et fièvre"], ["douleur", "fièvre"]),
        (["android use"], ["android use"]),
        (["liver or lung", "mild and severe"],
         ["liver_mild", "liver_severe", "lung_mild", "lung_severe"]),
        (["الرأس و البطن"], ["الرأس", "البطن"]),
    ],
)  # fmt: skip
def test_what_coordinations_hold(page, marked, parts):
    if not page.browser.current_url.startswith("http"):
        page.write()
    assert page.browser.execute_async_script(COMBINE, marked) == parts


def test_choose_among_overlapping_entities(page):
    ann = "T1\tADE 21 26\tjoint\nT2\tDRUG 14 26\tsevere joint\nT3\tADE 14 20;46 50\tsevere pain\n"
    page.write(ann=ann)
    chosen = []
    for _ in range(3):
        page.press(" ")
        chosen.append(page.find("chosen").text)
    assert [text.split("\n")[0] for text in chosen] == ["ADE", "DRUG", "ADE"]
    ActionChains(page.browser).move_to_element_with_offset(
        page.word("joint"), 0, -20
    ).click().perform()
    first = page.find("chosen").text
    ActionChains(page.browser).move_to_element_with_offset(
        page.word("joint"), 0, -20
    ).click().perform()
    assert page.find("chosen").text != first
    page.press(Keys.ESCAPE)
    assert "Drag over words" in page.find("chosen").text
    bar = page.browser.find_element(By.CSS_SELECTOR, "i[title='ADE: joint']")
    bar.click()
    page.press(Keys.DELETE)
    assert page.entities() == ["ADE severe pain", "DRUG severe joint"]


def test_proposals_by_keyboard(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.60", "ADE 0.90"])
    page.press(" ", "a")
    page.until(lambda: page.entities() == ["ADE severe joint"])
    page.press("r")
    page.press("A")
    assert page.entities() == ["ADE severe joint", "ADE severe pain"]
    assert page.shown() == ["ADE", "ADE"]
    page.load()
    # what was rejected is remembered
    time.sleep(0.3)
    assert page.shown() == ["ADE", "ADE"]


def test_proposals_by_mouse(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: len(page.shown()) == 3)
    page.browser.find_element(By.CSS_SELECTOR, "i[title='ADE: Mild nausea']").click()
    page.click("reject")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.90"])
    page.click("accept")
    assert len(page.entities()) == 1
    script = "arguments[0].value = 0.95; arguments[0].dispatchEvent(new Event('input'))"
    page.browser.execute_script(script, page.find("score"))
    assert page.find("n-sure").text == "0 of 1"
    page.browser.execute_script(script.replace("0.95", "0.5"), page.find("score"))
    page.click("accept-all")
    assert page.entities() == ["ADE severe joint", "ADE severe pain"]
    # a proposal that is changed is taken, and does not come again
    for _ in range(3):
        page.click("undo")
    page.until(lambda: len(page.shown()) == 3)
    page.browser.find_element(By.CSS_SELECTOR, "i[title='ADE: Mild nausea']").click()
    page.press("2")
    assert page.entities() == ["DRUG Mild nausea"]
    assert page.shown() == ["ADE 0.90", "DRUG", "ADE 0.90"]


def test_a_new_model_while_somebody_annotates(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.until(lambda: page.shown() == ["ADE 0.90", "ADE 0.60", "ADE 0.90"])
    page.press(" ", "a", Keys.ESCAPE)
    page.browser.find_element(By.CSS_SELECTOR, "i[title='ADE: Mild nausea']").click()
    page.server.proposer.swap("severe shoulder")
    # the chosen one stays until it is decided on, as somebody looks at it
    page.until(lambda: page.shown() == ["ADE", "ADE 0.60", "ADE 0.60", "ADE 0.90"])
    page.press("a")
    assert page.entities() == ["ADE Mild nausea", "ADE severe joint"]
    # an entity in the making: words that keys have marked, and a fragment to come
    page.press(Keys.ESCAPE)
    page.drag("back")
    page.click("add")
    page.server.proposer.swap("gave")
    page.until(lambda: page.shown() == ["ADE 0.60", "ADE", "ADE", "ADE"])
    page.drag("pain")
    assert "ADE back pain" in page.entities()
    page.press(Keys.ESCAPE, Keys.UP * 3, Keys.LEFT * 9)
    page.press(Keys.RIGHT, held=[Keys.SHIFT])
    page.server.proposer.swap("Brenorix")
    proposed = "i.proposal[title='ADE: Brenorix gave']"
    page.until(lambda: page.browser.find_elements(By.CSS_SELECTOR, proposed))
    assert page.browser.execute_script("return getSelection().toString()").split() == [
        "Brenorix",
        "gave",
    ]
    page.press(Keys.ENTER)
    assert "ADE Brenorix gave" in page.entities()
    # back to the proposals of the first model
    for _ in range(5):
        page.press("z", held=[Keys.CONTROL])
    assert page.entities() == []
    assert page.shown() == ["ADE 0.60", "ADE 0.90", "ADE 0.60"]


def test_settling_what_contradicts(page, tmp_path):
    lines = {
        "ann": ["ADE 14 26", "DRUG 0 8", "ADE 28 36;46 50", "ADE 52 56"],
        "ben": ["ADE 21 26", "SYMPTOM 0 8", "ADE 41 45;46 50"],
    }
    for name, places in lines.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text(TEXT)
        ann = "".join(f"T{i}\t{place}\t\n" for i, place in enumerate(places, 1))
        (tmp_path / name / "note.ann").write_text(ann)
    settling = Settling(tmp_path / "ann", tmp_path / "ben")
    settling.prepare(tmp_path / "both")
    server = Server(tmp_path / "both", settling=settling)
    page = Page(page.browser, server, "note")
    try:
        page.load()
        page.until(lambda: page.find("n-sure").text == "3 of 7")
        page.browser.find_element(By.CSS_SELECTOR, "i[title='ADE: joint']").click()
        assert "Or ADE “severe joint”, as ann has it." in page.find("chosen").text
        page.press("a")
        page.until(lambda: "rejected ADE “severe joint”" in page.find("said").text)
        assert page.entities() == ["ADE joint"]
        # as one step
        page.press("z", held=[Keys.CONTROL])
        page.until(lambda: page.find("n-sure").text == "3 of 7")
        # the same words as another type; what shares words of a coordination is no contradiction
        page.browser.find_element(By.CSS_SELECTOR, "i[title='DRUG: Brenorix']").click()
        page.press("a")
        page.until(lambda: page.find("n-sure").text == "3 of 5")
        page.press("A")
        assert page.entities() == [
            "ADE Mild",
            "ADE back pain",
            "ADE shoulder pain",
            "DRUG Brenorix",
        ]
        assert page.find("n-sure").text == "0 of 2"
    finally:
        server.kill()


def test_texts_one_after_the_other(page):
    for n in range(4):
        (page.server.folder / f"series{n}.txt").write_text(f"Text {n} of a series.")
    page.name = "series0"
    page.load()
    page.press("n")
    page.until(lambda: page.find("text-name").text == "series1")
    page.press("nnpp")
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
    rows = page.browser.find_elements(By.CSS_SELECTOR, "#text-rows li")
    assert [row.get_attribute("title") for row in rows] == [f"series{n}" for n in range(4)]
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: page.find("text-name").text == "series1")
    page.find("filter").send_keys("doubtful")
    rows = page.browser.find_elements(By.CSS_SELECTOR, "#text-rows li")
    assert [row.get_attribute("title") for row in rows] == ["series2"]
    rows[0].click()
    page.until(lambda: page.find("text-name").text == "series2")
    n_done = int(page.find("progress-text").text.split()[0])
    page.click("done")
    page.until(lambda: page.find("progress-text").text.startswith(f"{n_done + 1} of"))


def test_reload_in_the_middle(page):
    page.write()
    page.drag("severe", "joint")
    # else both windows have something of their own
    page.saved()
    page.press("2")
    page.load()
    page.until(lambda: page.shown() == ["DRUG"])
    assert page.entities() == ["DRUG severe joint"]


def test_notes_and_foreign_lines_stay(page):
    page.write(ann="T1\tADE 21 26\tjoint\nA1\tNegated T1\n#1\tAnnotatorNotes T1\tsure?\nX\todd\n")
    page.press(" ")
    assert "Negated" in page.find("chosen").text
    page.press("2")
    page.saved()
    assert "A1\tNegated T1\n#1\tAnnotatorNotes T1\tsure?\nX\todd\n" in page.ann.read_text()
    page.press(Keys.DELETE)
    page.until(lambda: "went" in page.find("said").text)
    assert "Negated" not in page.ann.read_text()
    page.press("z", held=[Keys.CONTROL])
    page.saved()
    assert "A1\tNegated T1" in page.ann.read_text()


def test_two_windows_on_one_text(page):
    page.write()
    first = page.browser.current_window_handle
    # this window is never told that it is in front again
    page.browser.execute_script(
        "addEventListener('focus', (event) => event.stopImmediatePropagation(), true)"
    )
    page.drag("joint")
    page.saved()
    page.browser.switch_to.new_window("window")
    page.load()
    page.until(lambda: page.shown() == ["ADE"])
    page.press(" ", Keys.DELETE)
    page.drag("back")
    assert page.entities() == ["ADE back"]
    page.browser.close()
    page.browser.switch_to.window(first)
    page.drag("Mild")
    assert page.choices() == [
        "ADE joint deleted in the file",
        "ADE Mild only here",
        "ADE back only in the file",
    ]
    page.press(Keys.ENTER)
    page.until(lambda: page.entities() == ["ADE Mild", "ADE back"])


def test_a_window_in_front_again_shows_what_the_file_has(page):
    page.write()
    page.ann.write_text("T1\tDRUG 0 8\tBrenorix\n")
    page.browser.execute_script("dispatchEvent(new Event('focus'))")
    page.until(lambda: page.shown() == ["DRUG"])


def test_a_file_changed_by_another_program(page):
    page.write()
    page.drag("joint")
    page.saved()
    page.ann.write_text("T1\tDRUG 0 8\tBrenorix\n")
    page.drag("Mild")
    assert len(page.choices()) == 3
    page.press(Keys.ESCAPE)
    page.until(lambda: page.shown() == ["DRUG"])
    assert page.entities() == ["DRUG Brenorix"]
    # back to what was here
    page.press("z", held=[Keys.CONTROL])
    assert page.entities() == ["ADE Mild", "ADE joint"]


def test_a_text_changed_by_another_program(page):
    page.write()
    page.drag("joint")
    page.saved()
    page.ann.unlink()
    page.ann.with_suffix(".txt").write_text("Another text.")
    page.drag("Mild")
    page.until(lambda: page.word("Another"))
    page.drag("text")
    assert page.entities() == ["ADE text"]


def test_warnings(page):
    page.write()
    page.drag("pain", "Mild")
    # once on each of the two lines
    page.until(lambda: page.shown() == ["⚠ ADE"] * 2)
    assert "sentence" in page.find("chosen").text


@pytest.mark.parametrize("reloads", [False, True])
def test_a_killed_server(page, reloads):
    page.ann.unlink(missing_ok=True)
    page.write()
    page.server.kill()
    try:
        page.drag("joint")
        page.drag("back", key=Keys.SHIFT)
        page.until(lambda: "does not answer" in page.find("saving-text").text)
        assert page.browser.execute_script(
            "return !dispatchEvent(new Event('beforeunload', {cancelable: true}))"
        )
        assert not page.ann.exists()
        page.until(page.find("retry").is_displayed)
        if reloads:
            page.browser.get("about:blank")
    finally:
        page.server.start()
    if reloads:
        page.load()
        page.until(lambda: page.shown() == ["ADE"])
    else:
        # it is tried again without a click, too
        page.browser.execute_script("document.getElementById('retry').click()")
    assert page.entities() == ["ADE joint back"]


def test_right_to_left_and_astral(page):
    page.write("😀 ألم شديد في الرأس")
    page.drag("شديد")
    page.press(Keys.LEFT * 2, "+")
    page.saved()
    assert page.ann.read_text(encoding="utf-8").startswith("T1\tADE 6 10;14 19\tشديد الرأس")
    block = page.browser.find_element(By.CSS_SELECTOR, ".block")
    assert block.get_attribute("dir") == "rtl"


def test_a_long_text_is_drawn_in_parts(page):
    line = "Line with severe joint, shoulder and back pain of a patient.\n"
    page.write(line * 3300)
    assert len(page.browser.find_elements(By.CSS_SELECTOR, ".block")) == 3300
    page.browser.execute_script(
        "window.drawn = new Set();"
        "new MutationObserver(all => all.forEach(m => m.target.className.includes('block') &&"
        " window.drawn.add(m.target))).observe(document.getElementById('text'),"
        " {childList: true, subtree: true})"
    )
    page.drag("severe")
    page.drag("pain", key=Keys.SHIFT)
    assert page.entities() == ["ADE severe pain"]
    assert page.browser.execute_script("return window.drawn.size") == 1


def test_help_shows_every_key(page):
    page.write()
    page.press("?")
    page.until(page.find("help").is_displayed)
    keys = [e.text for e in page.find("help").find_elements(By.TAG_NAME, "kbd")]
    assert {"Enter", "+", "c", "Ctrl+z", "Space", "a", "r", "A", "d", "s", "q", "/"} <= set(keys)
    page.press(Keys.ESCAPE)
    assert not page.find("help").is_displayed()


def test_people_who_share_a_folder(page, tmp_path):
    (tmp_path / "note.txt").write_text(TEXT)
    server = Server(tmp_path, shared=True)
    try:
        page.browser.get(f"http://127.0.0.1:{server.port}/")
        dialog = page.find("choice")
        page.until(dialog.is_displayed)
        page.press("../Ben", Keys.ENTER)
        page.until(lambda: "letters" in dialog.text)
        page.press("Ben", Keys.ENTER)
        page.until(lambda: page.find("text-name").text == "note")
        page.drag("joint")
        page.saved()
        assert "joint" in (tmp_path / ".annotators" / "Ben" / "note.ann").read_text()
        page.find("other-name").click()
        page.until(lambda: page.find("choice").is_displayed())
    finally:
        server.kill()


@pytest.mark.parametrize("width", [1200, 400])
def test_nothing_is_wider_than_the_page(page, width):
    page.write(f"{'x' * 400} pain.\n", ann=f"T1\t{'L' * 300} 401 405\tpain\n")
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page.press(" ")
    widths = page.browser.execute_script(
        "return [document.documentElement, ...document.querySelectorAll('#text, #side')]"
        ".map(e => e.scrollWidth - e.clientWidth)"
    )
    page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert max(widths) <= 0


def test_everything_has_a_name(page):
    page.write(f"{TEXT}They propose severe pain.")
    page.press(" ")
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "combobox", "slider", "searchbox", "listbox", "option", "application"}
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree
        if not node["ignored"] and node["role"]["value"] in roles
    ]
    assert {role for role, _ in named} == roles
    assert [role for role, name in named if not name] == []


def test_nothing_leaves_the_host_and_nothing_is_refused(page, server):
    page.browser.get_log("performance")
    page.browser.get_log("browser")
    page.write()
    page.drag("severe")
    page.saved()
    events = [
        json.loads(entry["message"])["message"] for entry in page.browser.get_log("performance")
    ]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    own = f"http://127.0.0.1:{server.port}/"
    assert f"{own}api/project" in asked
    assert all(address.startswith((own, "about:")) for address in asked)
    assert page.browser.get_log("browser") == []
