"""Changes are not lost if other windows, programs, people or the server interfere."""

import pytest
from annotation_page import TEXT, Keys, Server
from chromium import visit

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("merges", [True, False])
def test_file_changed_by_another_program(page, merges):
    page.write(ann="")
    page.drag("joint")
    page.saved()
    page.ann.write_text("T1\tDRUG 0 8\tNaproxen\n")
    page.drag("Mild")
    changes = ["ADE joint deleted in the file", "ADE Mild only here"]
    assert page.choices() == [*changes, "DRUG Naproxen only in the file"]
    if merges:
        page.press(Keys.ENTER)
        page.until(lambda: page.entities() == ["ADE Mild", "DRUG Naproxen"])
        return
    page.press(Keys.ESCAPE)
    page.until(lambda: page.shown() == ["DRUG"])
    page.until(lambda: page.find("said").text == "Your changes were discarded.")
    assert page.entities() == ["DRUG Naproxen"]
    # undo restores the user's changes
    page.press("z", held=[Keys.CONTROL])
    assert page.entities() == ["ADE Mild", "ADE joint"]


LOSE_REQUESTS = """
const send = window.fetch;
window.fetch = (url, options) => options?.method === "PUT"
  ? Promise.reject(new TypeError("network")) : send(url, options);
window.reconnect = () => { window.fetch = send; document.getElementById("retry").click(); };
"""


def test_two_files_changed_by_another_program(page):
    for name in ("second_conflict", "first_conflict"):
        page.name = name
        page.write(ann="")
    page.browser.execute_script(LOSE_REQUESTS)
    page.drag("joint")
    page.browser.execute_script("location.hash = 'second_conflict'")
    page.until(lambda: page.find("text-name").text == "second_conflict")
    page.drag("Mild")
    for name in ("first", "second"):
        path = page.ann.with_name(f"{name}_conflict.ann")
        path.write_text("T1\tDRUG 0 8\tNaproxen\n")
    page.browser.execute_script("reconnect()")
    for _ in range(2):
        page.until(lambda: "_conflict: select" in page.find("choice").text)
        shown = page.find("choice").text
        page.press(Keys.ENTER)
        page.until(lambda shown=shown: page.find("choice").text != shown)
    for name, found in (("first_conflict", "ADE joint"), ("second_conflict", "ADE Mild")):
        page.name = name
        page.until(lambda found=found: page.entities() == [found, "DRUG Naproxen"])


def test_text_changed_by_another_program(page):
    page.write()
    page.ann.write_text("T1\tADE 21 26\tjoint\n")
    # the window regains focus
    page.browser.execute_script("dispatchEvent(new Event('focus'))")
    page.until(lambda: page.shown() == ["ADE"])
    page.ann.unlink()
    page.ann.with_suffix(".txt").write_text("Another text.")
    page.drag("Mild")
    page.until(lambda: page.word("Another"))
    page.drag("text")
    assert page.entities() == ["ADE text"]


@pytest.mark.parametrize("reloads", [False, True])
def test_killed_server(page, reloads):
    page.write(ann="")
    page.server.kill()
    try:
        page.drag("joint")
        page.drag("back", key=Keys.SHIFT)
        page.until(lambda: "does not respond" in page.find("saving-text").text)
        script = "return !dispatchEvent(new Event('beforeunload', {cancelable: true}))"
        assert page.browser.execute_script(script)
        assert page.ann.read_text() == ""
        page.until(page.find("retry").is_displayed)
        if reloads:
            page.browser.get("about:blank")
    finally:
        page.server.start()
    if reloads:
        page.load()
        page.until(lambda: page.shown() == ["ADE"])
    else:
        # the request is also repeated without a click
        page.browser.execute_script("document.getElementById('retry').click()")
    assert page.entities() == ["ADE joint back"]


def test_the_open_text_stays_if_the_server_is_gone(page):
    (page.server.folder / "stays.txt").write_text("Another text.")
    page.write(ann="")
    page.server.kill()
    try:
        page.drag("joint")
        page.browser.execute_script("location.hash = 'stays'")
        page.until(lambda: "stays cannot be opened" in page.find("problem").text)
        assert "Your changes are kept" in page.find("problem").text
        assert (page.find("text-name").text, page.shown()) == (page.name, ["ADE"])
    finally:
        page.server.start()
    page.find("retry").click()
    page.until(lambda: page.find("text-name").text == "stays")
    page.until(lambda: not page.find("problem").is_displayed())
    assert page.entities() == ["ADE joint"]


def test_two_types_for_the_same_words(page):
    page.write(ann="")
    page.drag("joint")
    page.saved()
    page.ann.write_text("T1\tDRUG 46 50\tpain\n")
    page.drag("pain")
    changes = ["ADE joint deleted in the file", "ADE pain only here", "DRUG pain only in the file"]
    assert page.choices() == changes
    page.press(Keys.ENTER)
    page.until(lambda: page.entities() == [])


LOSE_A_RESPONSE = """
const send = window.fetch;
window.fetch = async (url, options) => {
  const response = await send(url, options);
  if (options?.method !== "PUT") return response;
  window.fetch = send;
  throw new TypeError("network");
};
"""
FILL_THE_STORAGE = "Storage.prototype.setItem = () => { throw new DOMException('full') }"


@pytest.mark.parametrize(
    ("name", "script"), [("lost-response", LOSE_A_RESPONSE), ("full-storage", FILL_THE_STORAGE)]
)
def test_lost_response_and_full_storage(page, name, script):
    page.name = name
    page.write(ann="")
    page.browser.execute_script(script)
    page.drag("joint")
    page.until(lambda: page.entities() == ["ADE joint"])
    page.drag("Mild")
    page.press("d")
    journal = page.server.folder / ".gapdner" / "annotate.jsonl"

    def is_done():
        lines = journal.read_text().splitlines() if journal.exists() else []
        return any(name in line and '"done"' in line for line in lines)

    page.until(is_done)
    assert all(word in page.ann.read_text() for word in ("joint", "Mild"))


def test_shared_folder(page, tmp_path):
    (tmp_path / "note.txt").write_text(TEXT)
    server = Server(tmp_path, shared=True)
    try:
        visit(page.browser, f"http://127.0.0.1:{server.port}/")
        page.until(lambda: page.find("choice").is_displayed())
        page.press("../Ben", Keys.ENTER)
        page.until(lambda: "starts with a letter" in page.find("choice").text)
        page.press("Ben", Keys.ENTER)
        page.until(lambda: page.find("text-name").text == "note")
        page.drag("joint")
        page.saved()
        assert "joint" in (tmp_path / ".annotators" / "Ben" / "note.ann").read_text()
        page.find("other-name").click()
        page.until(lambda: page.find("choice").is_displayed())
    finally:
        server.kill()
