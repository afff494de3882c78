import json

import pytest

from spacy_gapdner import get_entities
from spacy_gapdner.analysis.pipes import changed
from spacy_gapdner.analysis.predictions import predict
from spacy_gapdner.analysis.uncertainty import UncertaintySampler

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


def order_by_margin(nlp, threshold):
    """The texts' names by margin, and their entities with scores."""
    pipe = nlp.get_pipe("gapdner")
    # candidates are entities from 0.1 on
    with changed(pipe, threshold=0.1):
        docs = list(predict(nlp, TEXTS))
    with changed(pipe, threshold=threshold):
        sampler = UncertaintySampler(pipe, 1)
        margins = {str(number): -sampler.uncertainty(doc) for number, doc in enumerate(docs)}
    assert len(set(margins.values())) >= len(TEXTS) - 1
    kept = {
        str(number): [e for e in get_entities(doc) if e.score >= threshold]
        for number, doc in enumerate(docs)
    }
    return {name: kept[name] for name in sorted(margins, key=margins.__getitem__)}


@pytest.fixture
def order(tiny):
    return order_by_margin(tiny, tiny.get_pipe("gapdner").cfg["threshold"])


def records(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("n", [1, 10])
def test_the_least_certain_first_as_jsonl(run, model, folder, tmp_path, order, n):
    output = tmp_path / "next.jsonl"
    result = run("predict", model, folder, "--uncertain", n, "-o", output)
    assert "5 documents" in result.stdout
    found = records(output.read_text())
    assert [record["id"] for record in found] == list(order)[:n]
    for record in found:
        expected = [(e.label_, e.text, round(e.score, 3)) for e in order[record["id"]]]
        assert [
            (e["label"], e["text"], round(e["score"], 3)) for e in record["entities"]
        ] == expected
    assert sorted(p.name for p in tmp_path.iterdir()) == ["next.jsonl", "texts"]


@pytest.mark.parametrize("options", [[], ["--n-process", 2]])
def test_lines_of_standard_input(run, model, order, options):
    result = run("predict", model, "-", "--uncertain", 2, *options, input="\n".join(TEXTS))
    assert [record["text"] for record in records(result.stdout)] == [
        TEXTS[int(name)] for name in list(order)[:2]
    ]


def test_margins_are_those_of_the_threshold_given(run, model, folder, tiny):
    result = run("predict", model, folder, "--uncertain", 1, "--threshold", 1)
    (record,) = records(result.stdout)
    # entities that the model knows by heart score just below 1
    assert {record["id"]: record["entities"]} == dict([*order_by_margin(tiny, 1.0).items()][:1])


def test_bad_options(fails, model, folder, tmp_path):
    output = tmp_path / "out.jsonl"
    fails(
        "--resume needs JSONL as output, and not --uncertain",
        *("predict", model, folder, "--uncertain", 1, "--resume", "-o", output),
    )


def test_sentences(run, fails, model, folder):
    (folder / "2.txt").write_text("Nothing . " + TEXTS[3] + " No more .")
    found = records(run("predict", model, folder, "--sentences", "--uncertain", 3).stdout)
    assert len(found) == 3
    for record in found:
        text = (folder / f"{record['document']}.txt").read_text()
        assert record["id"] == f"{record['document']}-{record['start']}"
        assert text[record["start"] :].startswith(record["text"])
    fails("--sentences needs --uncertain", "predict", model, folder, "--sentences")
