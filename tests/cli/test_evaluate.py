import json
import shutil

import pytest
from tiny_pipeline import CHANGED, read_docs

from spacy_gapdner.formats import write_docbin
from spacy_gapdner.inference import loading as pipes


def test_tables_and_file(run, model, write_docs, tmp_path):
    output = tmp_path / "new" / "scores.json"
    result = run("evaluate", model, write_docs(annotated=CHANGED), "-o", output)
    lines = [line.split() for line in result.stdout.splitlines() if line.strip()]
    for expected in (
        "All entities 60.00 60.00 60.00 5 5 3",
        "Discontinuous entities 50.00 100.00 66.67 1 2 1",
        "Sentences with disc. entities 50.00 50.00 50.00 2 2 1",
        "Sentences with overlap 50.00 50.00 50.00 2 2 1",
        "ADR 66.67 66.67 66.67 3",
        "Drug 50.00 100.00 66.67 1",
        "Food 0.00 0.00 0.00 1",
        "2 50.00 100.00 66.67 1",
        "Same fragments, any type 80.00 80.00 80.00",
        "Overlap, any type, half if not exact 90.00 90.00 90.00",
        "Overlap, same type 80.00 80.00 80.00",
    ):
        assert expected.split() in lines
    output_text = " ".join(result.stdout.split())
    assert "has no labels for these types in the data: Food" in output_text
    assert "3 Docs, 17 words" in result.stdout
    scores = json.loads(output.read_text())
    assert scores["spans_gapdner_disc_f"] == pytest.approx(2 / 3)
    assert scores["gold_per_type"] == {"ADR": 3, "Drug": 1, "Food": 1}


def test_tokens_of_another_language(run, model, write_docs, tmp_path):
    data = write_docs()
    docs = read_docs(data)
    docs[0].user_data["gapdner_lang"] = "de"
    write_docbin(docs, data)
    printed = " ".join(run("evaluate", model, data).output.split())
    assert (
        "rules of English (en), but Docs of the data were tokenized with other rules: 1" in printed
    )
    docs[0].user_data["gapdner_lang"] = "en"
    write_docbin(docs, data)
    assert "other rules" not in run("evaluate", model, data).output


def test_options(run, model, write_docs, monkeypatch):
    # the tests share the pipeline, which must not change
    seen = []
    monkeypatch.setattr(pipes, "use_bf16", seen.append)
    data = write_docs(key="gold")
    result = run("evaluate", model, data, "-sk", "gold", "--threshold", 1, "--bf16")
    assert "All entities 0.00 0.00 0.00 5 0 0" in " ".join(result.stdout.split())
    # predictions of other types do not count
    changed = write_docs("changed.spacy", CHANGED)
    result = run("evaluate", model, changed, "--types", "Drug")
    assert "All entities 50.00 100.00 66.67 1 2 1" in " ".join(result.stdout.split())
    hint = "under the spans_key 'gapdner'. It has other entities or spans: 5 in doc.spans['gold_*']"
    assert hint in " ".join(run("evaluate", model, data).output.split())
    assert len(seen) == 1


@pytest.mark.parametrize(("line_breaks", "n_sents"), [("keep", 2), ("join", 1)])
def test_line_breaks(run, model, write_brat, tmp_path, line_breaks, n_sents):
    # the tests share the other pipeline
    own, output = shutil.copytree(model, tmp_path / "own"), tmp_path / "a.spacy"
    data = write_brat(a=("Severe joint\nand pain .", "T1\tADR 0 6;17 21\tSevere pain\n"))
    result = run("evaluate", own, data, "--line-breaks", line_breaks)
    assert ("cannot be found: 1" in " ".join(result.output.split())) == (n_sents == 2)
    run("predict", own, data, "-o", output, "--line-breaks", line_breaks)
    (doc,) = read_docs(output)
    assert len(list(doc.sents)) == n_sents
