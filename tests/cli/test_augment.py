import re

from tiny_pipeline import read_docs

from spacy_gapdner import get_entities

SENTENCES = [(text, [("CL", (0, 2))]) for text in ("B cells grew .", "T cells died .")]


def test_examples_and_file(run, fails, write_docs, tmp_path):
    data, output = write_docs(annotated=SENTENCES), tmp_path / "synthetic.spacy"
    result = run("augment", data, "--share", 1, "--insertion-share", 0, "--output", output)
    (doc,) = read_docs(output)
    assert sorted(e.text for e in get_entities(doc)) == ["B cells", "T cells"]
    assert doc.text in result.output.splitlines()
    # the discontinuous entity is drawn
    assert re.search(r"^─ [· ]+ ───── CL$", result.output, re.MULTILINE)
    assert "1 synthetic Doc:" in result.output
    assert "0 synthetic Docs" in run("augment", data, "--share", 0).output
    assert "Use --spans-key" in run("augment", data, "-sk", "x").output
    fails(
        "does not end in .spacy. Add this extension.", "augment", data, "-o", tmp_path / "a.jsonl"
    )
