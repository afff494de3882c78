"""Make the picture of the annotation page in the documentation.

The page shows trials and the pipeline of `project/assets`. One text is finished. The first lines of
another one are annotated, and the others have proposals.
"""

import json
import tarfile
import tempfile
import zipfile
from pathlib import Path

import typer
from annotate_gestures import open_browser, serve
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from spacy_gapdner.formats import Report
from spacy_gapdner.formats.brat import read_brat

PROJECT = Path(__file__).parents[1]
TYPES = {
    "Condition": "A disease, symptom or finding.",
    "Procedure": "A test or treatment.",
    "Drug": "A drug or its class.",
    "Measurement": "A quantity that is measured.",
}
SHOWN, FINISHED, NEW = "NCT00965900_inc", "NCT01809041_inc", "NCT02579200_exc"
# the text from here on is not annotated
FIRST_PROPOSAL = "or ascites"
SIZE = {"width": 1200, "height": 620, "deviceScaleFactor": 1, "mobile": False}
EDIT = """
const [score, folder] = arguments;
const slider = document.getElementById("score");
slider.value = score;
slider.dispatchEvent(new Event("input", {bubbles: true}));
const writes = document.getElementById("writes");
writes.textContent = writes.textContent.replace(folder, "/home/anna/trials");
"""


def write_trials(folder: Path) -> None:
    """Write three texts, and the entities of two of them, in brat's format."""
    folder.mkdir()
    with tarfile.open(PROJECT / "assets" / "chia.tar.xz") as archive:
        for name in (SHOWN, FINISHED, NEW):
            for ending in ("txt", "ann"):
                file = archive.extractfile(f"dev/{name}.{ending}")
                assert file is not None
                (folder / f"{name}.{ending}").write_bytes(file.read())
    (folder / f"{NEW}.ann").unlink()
    for record in read_brat(folder, Report()):
        end = record.text.find(FIRST_PROPOSAL) if record.name == SHOWN else len(record.text)
        lines = [
            f"T{n}\t{e.label} {';'.join(f'{a} {b}' for a, b in e.fragments)}\t{e.surface}\n"
            for n, e in enumerate(record.entities, start=1)
            if e.label in TYPES and e.label != "Measurement" and e.fragments[-1][1] <= end
        ]
        (folder / f"{record.name}.ann").write_text("".join(lines), encoding="utf-8")
    types = {label: {"description": text} for label, text in TYPES.items()}
    (folder / "labels.json").write_text(json.dumps(types), encoding="utf-8")


def main(
    output: Path = typer.Argument(PROJECT / "docs" / "annotate.png", help="The picture"),
) -> None:
    """Make the picture of the annotation page."""
    with tempfile.TemporaryDirectory() as name, open_browser() as browser:
        trials = Path(name) / "trials"
        write_trials(trials)
        (wheel,) = (PROJECT / "assets").glob("*.whl")
        zipfile.ZipFile(wheel).extractall(Path(name) / "wheel")
        (config,) = (Path(name) / "wheel").glob("*/*/config.cfg")
        # the page shows the name of the folder
        model = config.parent.rename(Path(name) / config.parts[-3])
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SIZE)
        wait = WebDriverWait(browser, 120)

        def open_text(text: str) -> None:
            browser.get("about:blank")
            browser.get(f"{address}#{text}")
            wait.until(lambda _: browser.find_element(By.ID, "text-name").text == text)

        with serve(trials, "--model", str(model)) as address:
            open_text(FINISHED)
            ActionChains(browser).send_keys("d").perform()
            wait.until(lambda _: browser.find_element(By.ID, "text-name").text != FINISHED)
            open_text(SHOWN)
            wait.until(lambda _: browser.find_elements(By.CLASS_NAME, "proposal"))
            browser.execute_script(EDIT, 0.85, str(trials))
            browser.save_screenshot(str(output))
    print(output)


if __name__ == "__main__":
    typer.run(main)
