import pytest
import spacy
from command_lines import invoke
from tiny_pipeline import CORPUS, make_doc, make_nlp, read_docs, save_corpus
from tiny_transformer import save_bert

from project.benchmark.data import load_pipeline, read_examples
from project.benchmark.speed import Runner, time_batches, time_pipe
from project.experiments.__main__ import app
from project.experiments.spacy_pipes import PIPES, convert, make_table, score

# a separate entity, a discontinuous one, and two that overlap
TEXT = "fever and severe joint and hip pain with left arm pain"
GOLD = [("SYMPTOM", [0]), ("SYMPTOM", [2, 3, 6]), ("SYMPTOM", [8, 9, 10]), ("BODY", [8, 9])]


def test_converted_data(tmp_path):
    convert(save_corpus(tmp_path / "gold.spacy", [(TEXT, GOLD)]), tmp_path / "spacy.spacy")
    (doc,) = read_docs(tmp_path / "spacy.spacy")
    assert [ent.text for ent in doc.ents] == ["fever", "left arm pain"]
    assert sorted(s.text for s in doc.spans["sc"]) == ["fever", "left arm", "left arm pain"]


@pytest.mark.parametrize("pipe", PIPES)
def test_scores_of_spans(pipe):
    nlp = spacy.blank("en")
    in_ents = pipe == "ner"
    settings = {"annotate_ents": in_ents, "spans_key": None if in_ents else "sc"}
    # correct; a part of the discontinuous entity; correct; spurious
    found = ["fever", "hip pain", "left arm pain", "with"]
    patterns = [{"label": "SYMPTOM", "pattern": text} for text in found]
    nlp.add_pipe("span_ruler", config=settings).add_patterns(patterns)
    scores = score(nlp, [make_doc(nlp, TEXT, GOLD)])
    assert {name: (of.tp, of.fp, of.fn) for name, of in scores.items()} == {
        "All entities": (2, 2, 2),
        # ignores the part and the entity that overlap with other gold entities
        "Contiguous, no overlap": (1, 1, 0),
        "Discontinuous": (0, 0, 1),
    }
    rows = make_table({pipe: scores}).rows
    assert rows[1] == ["", "Contiguous, no overlap", "50.0", "100.0", "66.7", "1"]


@pytest.mark.slow
@pytest.mark.parametrize("with_transformer", [True, False])
def test_command(tmp_path, with_transformer):
    words = sorted({word for text, _ in CORPUS for word in text.split()})
    encoder = ("--transformer", save_bert(tmp_path, words)) if with_transformer else ()
    data = save_corpus(tmp_path / "gold.spacy")
    paths = [f"--{part}={data}" for part in ("train", "dev", "test")]
    output = tmp_path / "runs"
    make_nlp().to_disk(tmp_path / "ours")
    options = (*encoder, *paths, "--steps", 2, "--eval-frequency", 1)
    result = invoke(app, "spacy-pipes", output, tmp_path / "ours", *options)
    models = [output / pipe / "model-best" for pipe in PIPES]
    for model in (*models, tmp_path / "ours"):
        assert f"{str(model)[-20:]}" in result.output.replace("\n", "")
    config = spacy.load(models[1]).config
    assert config["training"]["batcher"]["size"] == (12 if with_transformer else 24)
    assert config["components"]["spancat"]["suggester"]["sizes"] == list(range(1, 13))
    # they can be measured, too
    for model in models:
        nlp, pipe = load_pipeline(str(model), -1)
        examples, runner = read_examples(nlp, pipe, data, 0), Runner(nlp, pipe)
        assert time_pipe(runner, examples, 1) > 0
        for is_train in (False, True):
            found = time_batches(runner, examples, 1, is_train=is_train)
            assert min(found["model"], found["encoder"]) > 0
            assert (found["optimizer"] > 0) == is_train
