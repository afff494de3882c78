"""The commands with pipelines of W2NER and TOE."""

import json

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Example
from thinc.api import Adam, fix_random_seed

from spacy_gapdner import get_entities

SIZES = {"hidden_width": 24, "embedding_width": 4, "grid_width": 16, "predictor_width": 16}
NO_DROPOUT = {"word_dropout": 0.0, "grid_dropout": 0.0, "predictor_dropout": 0.0}
CHAINED = [
    # the chains of both pass through the same words: two others come with them
    ("a b c d e f", [("ADR", (0, 2), (3, 4), (5, 6)), ("ADR", (0, 1), (2, 6))]),
    # two types in one cell
    ("a b c d", [("ADR", (0, 2)), ("Drug", (0, 2))]),
]


@pytest.fixture(scope="module", params=["W2NER", "TOE"])
def name(request):
    return request.param


@pytest.fixture(scope="module")
def model_config(name, tiny_config):
    return {
        "@architectures": f"spacy-gapdner.{name}.v1",
        "tagging": {"@misc": f"spacy-gapdner.{name}Tagging.v1"},
        "tok2vec": tiny_config["model"]["tok2vec"],
        **SIZES,
        **NO_DROPOUT,
    }


@pytest.fixture(scope="module")
def baseline(model_config, tiny, tmp_path_factory):
    """A pipeline that finds in the sentences of `write_docs` what GapDNER's does."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer", name="sentencizer")
    nlp.add_pipe("gapdner", config={"model": model_config})
    texts = [
        "Severe joint and shoulder pain today .",
        "He took aspirin twice .",
        "Severe pain after aspirin .",
        "No complaints so far .",
    ]
    examples = [Example(nlp.make_doc(text), tiny(text)) for text in texts]
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.02)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    path = tmp_path_factory.mktemp("models") / "baseline"
    nlp.to_disk(path)
    return path


def test_evaluate(run, baseline, write_docs, tmp_path):
    output = tmp_path / "scores.json"
    result = run("evaluate", baseline, write_docs(), "--output", output)
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "All entities 100.00 100.00 100.00 5 5 5" in lines
    assert "Discontinuous entities 100.00 100.00 100.00 2 2 2" in lines


def test_predict(run, baseline, write_docs, tmp_path):
    text = "Severe joint and shoulder pain today ."
    (tmp_path / "in.txt").write_text(text)
    output = tmp_path / "out.spacy"
    result = run("predict", baseline, tmp_path / "in.txt", "--output", output)
    assert result.exit_code == 0, result.output
    (doc,) = DocBin().from_disk(output).get_docs(spacy.blank("en").vocab)
    assert [entity.text for entity in get_entities(doc)] == [
        "Severe shoulder pain",
        "Severe joint pain",
    ]


def test_analyze(run, baseline, write_docs, tmp_path):
    result = run("analyze", baseline, write_docs(), "--output", tmp_path / "new")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new" / "report.html").exists()


def test_attention_is_refused(fails, name, baseline):
    fails(f"The model '{name.lower()}' has neither linear", "attention", baseline, "a")


def test_debug_data(run, name, write_docs, tmp_path, request):
    config = request.config.rootpath / "configs" / f"{name.lower()}_trf.cfg"
    output = tmp_path / "a.json"
    docs = write_docs(annotated=CHAINED)
    result = run("debug-data", docs, "--config", config, "--output", output)
    assert result.exit_code == 0, result.output
    schemes = json.loads(output.read_text())["train"]["schemes"]
    used = schemes[name]
    assert f"{name} (used)" in result.stdout
    assert used["spurious"]["counts"] == {"not annotated": 2}
    if name == "W2NER":
        assert used["missed"]["counts"] == {"type conflict": 1}
        assert used["ceiling"] == pytest.approx({"p": 3 / 5, "r": 3 / 4, "f": 2 / 3})
    else:
        assert used["missed"]["counts"] == {}
        assert used["ceiling"] == pytest.approx({"p": 4 / 6, "r": 1.0, "f": 4 / 5})
