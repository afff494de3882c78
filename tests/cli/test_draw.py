import re

import pytest

TEXT = "Severe joint and shoulder pain today ."


@pytest.fixture
def brat(write_brat):
    """A document with one of the entities that the pipeline finds, and another entity."""
    return write_brat(a=(TEXT, "T1\tADR 0 12;26 30\tSevere joint pain\nT2\tTime 31 36\ttoday\n"))


def listed(html):
    found = re.findall(r'title="(?:\w+: )?(?:\W )?(\w[\w ]*?)(?: [\d.]+)?: (.+?)"', html)
    return list(dict.fromkeys(found))


JOINT, SHOULDER = ("ADR", "Severe joint … pain"), ("ADR", "Severe … shoulder pain")


def test_pages(run, tiny, model, brat, tmp_path):
    page = tmp_path / "page.html"
    assert run("draw", brat, "-o", page).stdout.splitlines()[-1] == str(page)
    assert listed(page.read_text()) == [JOINT, ("Time", "today")]
    # predictions next to annotation
    run("draw", brat, "--model", model, "-o", page, "--types", "ADR", "--force")
    assert f"{brat} · predictions of {tiny.meta['name']} ·" in page.read_text()
    _, *parts = re.split(r'data-side="(\w+)"', page.read_text())
    columns = dict(zip(parts[::2], map(listed, parts[1::2]), strict=True))
    assert columns == {"gold": [JOINT], "predicted": [JOINT, ("spurious ADR", SHOULDER[1])]}


def test_terminal(run, model, brat):
    text = "a\nSevere joint and shoulder pain today .\n"
    joint, time = "──────────── · · · · · ·  ──── ADR\n", f"{' ' * 31}───── "
    assert run("draw", brat).stdout == f"{text}{joint}{time}Time\n"
    found, missed = f"{joint}────── · · · · · ───────────── + ADR\n", f"{time}- Time\n"
    for types, expected in {"ADR,Time": found + missed, "ADR": found, "Time": missed}.items():
        drawn = run("draw", brat, "--model", model, "--types", types).stdout
        assert re.sub(r" \d\.\d\d", "", drawn).startswith(text + expected)


def test_invalid_arguments(fails, model, brat, write):
    raw = write({"raw.txt": TEXT}) / "raw.txt"
    fails("or use predict to find entities", "draw", raw, "--model", model)
    fails("--threshold requires --model", "draw", brat, "--threshold", 0.9)
    fails("is not an HTML file", "draw", brat, "-o", raw.with_suffix(".pdf"))
    fails("no entity has the type Drug. The types are ADR, Time.", "draw", brat, "--types", "Drug")
