import json
import re

TEXT = "severe joint and back pain after aspirin"
FIRST = "T1\tADE 0 12;22 26\tsevere joint pain\nT2\tDRUG 33 40\taspirin\n"
SECOND = "T1\tADE 0 12\tsevere joint\nT2\tDRUG 33 40\taspirin\n"


def test_two_annotators(run, write_brat, tmp_path):
    same, output = (TEXT, FIRST), tmp_path / "out"
    dropped = f"{FIRST}T3\tDRUG 90 99\tnothing\n"
    first = write_brat("anna", a=(TEXT, dropped), b=same, anna=("no pain", ""), c=("x", ""))
    sides = first, write_brat("ben", a=(TEXT, SECOND), b=same, ben=("no fever", ""), c=("y", ""))
    result = run("agreement", *sides, "-o", output)
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    # of 4 entities each, 3 agree, and the others overlap
    assert "All entities 75.00 87.50 4 4" in lines
    assert "Discontinuous entities 66.67 66.67 2 1" in lines
    assert "DRUG 100.00 100.00 2 2" in lines
    assert "2 documents compared, 1 with differences" in lines
    assert f"{sides[0] / 'a.ann'}:3: " in result.stdout
    for side, name in zip(sides, ("anna", "ben"), strict=True):
        assert f"2 documents only in {side}: {name}, c" in " ".join(result.stdout.split())
    message = "other texts are not compared: c has 'x' on the first side, 'y' on the second"
    assert message in " ".join(result.stdout.split())
    found = json.loads((output / "agreement.json").read_text())
    assert [row["text"] for row in found["differing"]] == ["severe joint … pain", "severe joint"]
    page = (output / "agreement.html").read_text()
    # only documents with differences are drawn, and neither side is gold
    assert ("<h2>a</h2>" in page, "<h2>b</h2>" in page) == (True, False)
    assert [page.count(f"<b>{side}</b>") for side in sides] == [1, 1]
    assert "exact F1 75.00 · partial 87.50 · 2 documents" in page
    assert f"{sides[0]}: 4 entities, 2 discontinuous · {sides[1]}: 4 entities, 1" in page
    assert re.findall(r'<li data-mark="\w+">(.+?)</li>', page) == ["✓ same 3", "≠ differs 2"]


def test_no_differences(run, write_brat, tmp_path):
    sides = (write_brat(name, a=(TEXT, FIRST), b=("no pain", "")) for name in ("anna", "ben"))
    result = run("agreement", *sides, "-o", tmp_path / "out")
    assert "2 documents compared, no differences" in result.stdout
    page = (tmp_path / "out" / "agreement.html").read_text()
    assert "<p>No differences: 2 entities are the same.</p>" in page


def test_invalid_data(run, fails, write_brat, write):
    first, other = write_brat("anna", a=(TEXT, FIRST)), write_brat("ben", b=("no pain", ""))
    fails("The two sides have no text in common", "agreement", first, other)
    folder = write({"gold.spacy": "no pain", "notes.txt": "no pain"})
    fails("is not a valid .spacy file", "agreement", first, folder / "gold.spacy")
    fails("has text without annotation", "agreement", folder / "notes.txt", first)
    fails("notes.txt is not a folder", "agreement", first, first, "-o", folder / "notes.txt")
    assert "Neither side has entities" in run("agreement", other, other).output
