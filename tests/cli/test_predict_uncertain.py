import json

import pytest

from spacy_gapdner import get_entities
from spacy_gapdner.analysis import select_uncertain
from spacy_gapdner.analysis.pipes import changed

# texts that the model has learned, has never seen, and without entities
TEXTS = [
    "Severe joint and shoulder pain today .",
    "Severe pain after joint aspirin .",
    "",
    "Joint and severe aspirin pain twice .",
    "He took aspirin twice .",
]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "texts"
    path.mkdir()
    for number, text in enumerate(TEXTS):
        (path / f"{number}.txt").write_text(text)
    return path


def records(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("n", [1, 10])
@pytest.mark.parametrize("options", [[], ["--threshold", 1]])
def test_the_most_uncertain_texts_are_written_first(run, model, folder, tmp_path, tiny, n, options):
    pipe, output = tiny.get_pipe("gapdner"), tmp_path / "next.jsonl"
    with changed(pipe, threshold=1.0 if options else pipe.cfg["threshold"]):
        docs = select_uncertain(tiny, TEXTS, n)
    run("predict", model, folder, "--uncertain", n, "-o", output, *options)
    found = records(output.read_text())
    assert [record["text"] for record in found] == [doc.text for doc in docs]
    assert [record["id"] for record in found] == [str(TEXTS.index(doc.text)) for doc in docs]
    for record, doc in zip(found, docs, strict=True):
        expected = [(e.label_, e.text) for e in get_entities(doc)]
        assert [(e["label"], e["text"]) for e in record["entities"]] == expected
    assert sorted(p.name for p in tmp_path.iterdir()) == ["next.jsonl", "texts"]


def test_lines_of_standard_input(run, model, tiny):
    docs = select_uncertain(tiny, TEXTS, 2)
    result = run("predict", model, "-", "--uncertain", 2, input="\n".join(TEXTS))
    assert [record["text"] for record in records(result.stdout)] == [doc.text for doc in docs]


def test_resume_is_refused(fails, model, folder, tmp_path):
    args = ("--uncertain", 1, "--resume", "-o", tmp_path / "out.jsonl")
    fails("--resume needs JSONL as output, and not --uncertain", "predict", model, folder, *args)
