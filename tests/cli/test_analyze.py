import csv
import json
import re
from datetime import date

import pytest
import spacy
from tiny_pipeline import CHANGED

from spacy_gapdner.analysis.errors_in_context import ERROR_COLUMNS


def read_csv(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_tables_and_files(run, model, write_docs, tmp_path):
    output = tmp_path / "new" / "found"
    result = run("analyze", f"tiny={model}", write_docs(annotated=CHANGED), "-o", output)
    for expected in (
        "All entities 5 60.0 (60.0/60.0)",
        "Discontinuous entities 1 66.7 (50.0/100.0)",
        "Sentences with disc. entities 2 50.0 (50.0/50.0)",
        "2 1 66.7 (50.0/100.0)",
        # by number of fragments
        "1 4 57.1 (66.7/50.0)",
        "missed 0",
        "wrong type 1",
        "wrong linking 1",
    ):
        assert expected in lines(result.stdout)
    assert result.stdout.splitlines()[-1] == str(output / "report.html")
    files = {"analysis.json", "errors.csv", "report.html", "scores.csv"}
    assert {path.name for path in output.iterdir()} == files

    scores = read_csv(output / "scores.csv")
    counts = {"gold": "5", "predicted": "5", "correct": "3"}
    first = {"model": "tiny", "group": "subset", "value": "all", **dict.fromkeys("prf", "0.6")}
    assert scores[0] == first | counts
    gap_length = [row for row in scores if row["group"] == "gap_length"]
    assert [(row["value"], row["p"], row["r"]) for row in gap_length] == [("2", "0.5", "1.0")]

    linking, wrong_type = read_csv(output / "errors.csv")
    assert 0.9 < float(linking.pop("score")) <= 1
    assert 0 < float(linking.pop("threshold")) < 0.9
    assert " | ".join(linking.values()) == (
        f"tiny | wrong linking | 1 |  | {CHANGED[0][0]} | ADR | shoulder pain | 17 30 | "
        "ADR | Severe … shoulder pain | 0 6;17 30"
    )
    assert list(linking) == ["model", *ERROR_COLUMNS[:-2]]
    assert (wrong_type["kind"], wrong_type["gold_label"]) == ("wrong type", "Food")

    analysis = json.loads((output / "analysis.json").read_text())["models"]["tiny"]
    assert analysis["errors"][0]["predicted"]["fragments"] == [[0, 6], [17, 30]]


@pytest.fixture
def silent(model, tmp_path):
    """A pipeline that predicts nothing."""
    nlp = spacy.load(model)
    nlp.get_pipe("gapdner").cfg["threshold"] = 1.0
    nlp.to_disk(tmp_path / "a=silent")
    return tmp_path / "a=silent"


def test_several_models(run, model, silent, write_docs, tmp_path):
    data = write_docs(annotated=CHANGED)
    others = ("--compare", f"<none>={silent}")
    assert "a=silent" in run("analyze", silent, data).stdout
    result = run("analyze", f"tiny={model}", data, *others, "-o", tmp_path / "o")
    printed = lines(result.stdout)
    assert "All entities 5 60.0 (60.0/60.0) 0.0 (0.0/0.0)" in printed
    assert "missed 0 5" in printed
    errors = read_csv(tmp_path / "o" / "errors.csv")
    assert [row["model"] for row in errors] == ["tiny"] * 2 + ["<none>"] * 5
    page = (tmp_path / "o" / "report.html").read_text("utf8")
    plain = re.sub("<style>.*?</style>|<script.*?</script>|<[^>]*>", " ", page, flags=re.S)
    text = " ".join(plain.split())
    assert f"{data} · {len(CHANGED)} Docs · 5 gold entities · {date.today()}" in text
    assert f"tiny Model: {model} F1 is 60.0 (precision 60.0, recall 60.0). Found: 3 of 5" in text
    assert (
        f"&lt;none&gt; Model: {silent} F1 is 0.0 (precision 0.0, recall 0.0). Found: 0 of 5" in text
    )
    assert not re.search(r"<script (?!type=.module.>)|<link|@import|src=|href=\"[^#]", page)
    result = run("analyze", f"tiny={model}", data, *others, "--types", "Drug")
    drug = "Drug 1 66.7 (50.0/100.0) 0.0 (0.0/0.0)"
    assert drug in lines(result.stdout)
    # bars of F1
    shown = re.search(
        r'--share: 0.6"><a href="#sentences" data-filter="\d+ \d+" title="(.*?)">', page
    )
    assert shown[1] == "Exact match: All entities"
    # gold entities are never incorrect
    labels = re.sub(r" \d\.\d\d", "", " ".join(re.findall('data-label="(.*?)"', page)))
    assert "✗ ADR, linking ✓ ADR gold ADR, linking gold Food, type ✗ Drug, type" in labels


def test_spans_key_and_threshold(run, model, write_docs):
    data = write_docs(key="gold")
    result = run("analyze", model, data, "--compare", f"same={model}", "-sk", "gold")
    assert "All entities 5 100.0 (100.0/100.0) 100.0 (100.0/100.0)" in lines(result.stdout)
    result = run("analyze", model, data, "-sk", "gold", "--threshold", 1.0)
    assert "missed 5" in lines(result.stdout)


def test_invalid_input(fails, model, write_docs, tmp_path):
    data = write_docs()
    fails("Two models have the name tiny. Use NAME=", "analyze", model, data, "--compare", model)
    fails("gold entities under the spans_key 'other'", "analyze", model, data, "-sk", "other")
    no_entities = write_docs("empty.spacy", [(CHANGED[0][0], [])])
    message = "The training data has no entities under the spans_key 'gapdner'. Check it with stats"
    other_key = write_docs("other.spacy", CHANGED, "other")
    for train in (no_entities, other_key):
        fails(message, "analyze", model, data, "--train", train)
    fails("Path not found: none.spacy", "analyze", model, data, "--train", "none.spacy")
    notes = tmp_path / "notes.txt"
    notes.write_text("pain")
    fails("has text without annotation", "analyze", model, data, "--train", notes)
    renamed = notes.rename(tmp_path / "notes.spacy")
    fails("is not a valid .spacy file", "analyze", model, data, "--train", renamed)


def test_all_errors_are_shown(run, silent, write_docs, tmp_path):
    annotated = [(f"Pain number {i}", [("ADR", (0, 1))]) for i in range(30)]
    run("analyze", silent, write_docs(annotated=annotated), "-o", tmp_path / "o")
    page = (tmp_path / "o" / "report.html").read_text("utf8")
    assert [int(n) for n in re.findall(r"<p>Doc (\d+)", page)] == list(range(1, 31))


def test_training_data_and_causes(run, model, write_docs, tmp_path):
    data, train = write_docs(annotated=CHANGED), write_docs("train.spacy", CHANGED[:1])
    result = run(
        "analyze", model, data, "--train", train, "-o", tmp_path / "o", "--types", "ADR,Food"
    )
    printed = lines(result.stdout)
    for expected in (
        "as this type 2 66.7 (100.0/50.0)",
        "never 2 50.0 (50.0/50.0)",
        "tiny: F1 is 57.1 (precision 66.7, recall 50.0). Found: 2 of 4 gold entities. Wrong: 1 of",
        "2. Food is never found: 0 of 1 gold entities, 1 missed, 0 with a score less than 0.1 ",
    ):
        assert any(line.startswith(expected) for line in printed), expected
    page = (tmp_path / "o" / "report.html").read_text("utf8")
    assert '<td class="text">does not occur</td>' in page
    assert '<td class="text">1 ADR</td>' in page
