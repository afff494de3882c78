import re
import sys

import pytest
from tiny_pipeline import ANNOTATED

JOINT = ANNOTATED[0][0]
ASPIRIN = ANNOTATED[1][0]


def test_screen(run, model):
    result = run("attention", model, JOINT, "--span", "shoulder pain", "--cell", "4,0")
    assert result.stderr == ""
    lines = [line.strip() for line in result.stdout.split("\n")]
    assert any(re.fullmatch(r"ADR +Severe shoulder pain +0:1, 3:5 +[01]\.\d\d", x) for x in lines)
    assert any(re.fullmatch(r"Cell \(3, 4\): shoulder pain \[Frag \d\.\d\d\]", x) for x in lines)
    assert any(
        re.fullmatch(r"Cell \(4, 0\): Severe joint and shoulder pain \[ADR .*\]", x) for x in lines
    )
    weights = [re.fullmatch(r"(shoulder 3|pain 4) +(\d\.\d{3})", x) for x in lines]
    # of two tokens in the first table and all five in the second
    found = [(m.group(1), float(m.group(2))) for m in weights if m]
    assert [token for token, _ in found] == ["shoulder 3", "pain 4"] * 2
    assert found[0][1] + found[1][1] == pytest.approx(1, abs=0.0011)
    assert sum(line.startswith("Most attended cells") for line in lines) == 2


def test_output(run, model, tmp_path):
    output = tmp_path / "new" / "maps"
    result = run("attention", model, JOINT, "--span", "pain", "--output", output)
    assert "4 plots" in result.stdout
    assert result.stdout.endswith(f"{output / 'attention.html'}\n")
    plots = [f"{name}.{end}" for name in ("cell_4-4", "labels_0-7") for end in ("png", "svg")]
    assert {p.name for p in output.iterdir()} == {"attention.html", *plots}
    assert (output / "cell_4-4.png").read_bytes()[:4] == b"\x89PNG"
    page = (output / "attention.html").read_text(encoding="utf-8")
    assert '<span class="word">Severe ' in page
    assert 'id="cell_4-4"' in page


def test_errors(fails, model, tmp_path):
    fails("The text is empty", "attention", model, "")
    fails("no entity in the text. Choose", "attention", model, JOINT, "--threshold", 1)
    fails("ROW,COLUMN", "attention", model, JOINT, "--cell", "arm")
    crossing = ["attention", model, f"{ASPIRIN} {JOINT}", "--span", "3:7"]
    fails("Tokens 3 and 6 never stand in one grid", *crossing)
    (tmp_path / "file").write_text("kept")
    fails("is a file. Give a folder", "attention", model, JOINT, "-o", tmp_path / "file")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_without_matplotlib(fails, run, model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    # said before anything is loaded: there is no such model either
    fails("Plots need matplotlib", "attention", tmp_path / "missing", JOINT, "-o", tmp_path / "x")
    assert not (tmp_path / "x").exists()
    run("attention", model, JOINT)
