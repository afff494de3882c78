import json

import pytest
from benchmark_pipelines import make_pipeline
from spacy.tokens import DocBin
from tiny_pipeline import CORPUS
from tiny_transformer import save_bert

# those of the sentences in conftest.py
N_WORDS, N_SENTENCES = 22, 4
MODES = ("prediction", "training")


@pytest.fixture
def measure(run, model, write_docs, tmp_path):
    """Runs the command, returns what it printed and the JSON file that it wrote."""

    def invoke(*options, model=model, data=True):
        path = tmp_path / "out" / "speed.json"
        data = [write_docs()] if data else []
        result = run("benchmark", model, *data, "--output", path, "--repeats", 1, *options)
        assert result.exit_code == 0, result.output
        return result.stdout, json.loads(path.read_text())

    return invoke


@pytest.fixture(scope="session")
def transformer(tmp_path_factory):
    path = tmp_path_factory.mktemp("transformer")
    words = sorted({word for text, _ in CORPUS for word in text.split()})
    nlp = make_pipeline("spacy-gapdner.TransformerModel.v1", save_bert(path, words))
    nlp.to_disk(path / "model")
    return path / "model"


def check(mode):
    """The figures agree with each other."""
    assert (mode["sentences"], mode["words"]) == (N_SENTENCES, N_WORDS)
    assert sum(mode["parts_shares"].values()) == pytest.approx(1)
    assert mode["parts_shares"].keys() == mode["parts_seconds"].keys()
    for of in (mode, *mode["by_length"].values(), *mode["by_batch_size"].values()):
        assert of["model_ratio"] == pytest.approx(of["model_seconds"] / of["encoder_seconds"])
        for part in ("encoder", "model"):
            words_per_second = of["words"] / of[f"{part}_seconds"]
            assert of[f"{part}_words_per_second"] == pytest.approx(words_per_second)
    for name in ("sentences", "words", "encoder_seconds", "model_seconds", "optimizer_seconds"):
        assert sum(of[name] for of in mode["by_length"].values()) == pytest.approx(mode[name])
    assert all(of["words"] == N_WORDS for of in mode["by_batch_size"].values())


def test_speed(measure):
    printed, found = measure("--no-memory", "--threads", 1)
    for name in MODES:
        check(found[name]["1"])
    assert (found["prediction"]["1"]["batch_size"], found["training"]["1"]["batch_size"]) == (
        1000,
        12,
    )
    assert found["prediction"]["1"]["pipe_seconds"] > 0
    assert (found["documents"], found["sentences"], found["words"]) == (4, N_SENTENCES, N_WORDS)
    assert found["processes"] == []
    assert found["entities_left_out"] == 0
    assert found["n_threads"] == 1
    assert "4 documents, 4 sentences, 22 words" in printed
    for title in ("Speed, 1 thread", "Share of the time (%), 1 thread", "By words of a sentence"):
        assert title in printed
    assert "Memory" not in printed
    assert "By sentences of a batch" not in printed


def test_batch_sizes(measure):
    printed, found = measure("--no-memory", "--threads", 1, "--batch-size", "2,1")
    for name in MODES:
        mode = found[name]["1"]
        check(mode)
        assert mode["batch_size"] == 2
        assert list(mode["by_batch_size"]) == ["2", "1"]
    assert "By sentences of a batch, 1 thread" in printed


def test_threads(measure):
    printed, found = measure("--no-memory", "--no-training", "--threads", "2,1", "--limit", 1)
    assert list(found["prediction"]) == ["2", "1"]
    assert printed.index("Speed, 2 threads") < printed.index("Speed, 1 thread")


def test_the_output_is_looked_at_first(fails, model, tmp_path):
    """Before minutes of work are lost."""
    (tmp_path / "file").touch()
    fails("is a folder", "benchmark", model, "--output", tmp_path)
    fails("File exists", "benchmark", model, "--output", tmp_path / "file" / "speed.json")


def test_prediction_alone(measure):
    printed, found = measure("--no-memory", "--no-training", "--limit", 2, "--cpu-time", "-t", 1)
    assert found["training"] == {}
    assert found["prediction"]["1"]["sentences"] == found["sentences"] == 2
    assert found["cpu_time"] is True
    assert "Training" not in printed
    assert "Speed, 1 thread, CPU time" in printed


def test_made_up_sentences(measure):
    _, found = measure("--no-memory", "--no-training", "--limit", 12, data=False)
    assert (found["documents"], found["sentences"], found["data"]) == (2, 12, "made up")


def test_processes(measure):
    """One after the other in a process of its own."""
    printed, found = measure("--no-memory", "--no-training", "--doc-lengths", "40", "-t", 1)
    (usage,) = found["processes"]
    assert (usage["task"], usage["n_words"]) == ("document", 40)
    assert usage["peak"] > usage["imported"] > 0
    assert usage["over_loaded"] == usage["peak"] - usage["loaded"]
    assert "Documents" in printed


def test_a_random_encoder(measure, transformer):
    options = ("--random-encoder", "tiny", "--no-memory", "--threads", 1)
    printed, found = measure(*options, model=transformer)
    for name in MODES:
        check(found[name]["1"])
    # two layers of 128, 512 positions, and next to no vocabulary
    assert found["encoder_weights"] == pytest.approx(480_000, rel=0.05)
    assert found["random_size"] == "tiny"
    assert "encoder of 0.5 million weights" in printed
    # its labels are those of the pipeline, not of the data
    assert found["entities_left_out"] == 5
    assert "5 entities took no part in training" in " ".join(printed.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--threads", "0"), "--threads 0 is not a list of different numbers from 1 on"),
        (("--batch-size", "a"), "--batch-size a is not a list"),
        (("--doc-lengths", "5,5"), "--doc-lengths 5,5 is not a list"),
        (("--sentence-lengths", ","), "--sentence-lengths , is not a list"),
        (("--precision", "low"), "--precision low is none of highest, high, medium."),
        (("--random-encoder", "huge"), "--random-encoder huge is none of tiny, mini,"),
        (("--random-encoder", "tiny", "--encoder", "x"), "not both"),
        (("--random-encoder", "tiny"), "The pipeline has no transformer component."),
        (("--cpu-time", "--threads", "1,2"), "--cpu-time is for one thread without a GPU"),
        (("--gpu-id", "77"), "Cannot use GPU 77"),
    ],
)
def test_options_that_cannot_be_used(fails, model, write_docs, options, message):
    fails(message, "benchmark", model, write_docs(), "--no-memory", *options)


def test_an_encoder_that_cannot_be_used(fails, transformer, tmp_path):
    options = ("--encoder", tmp_path, "--no-memory")
    fails(f"Cannot exchange the transformer for {tmp_path} (", "benchmark", transformer, *options)


def test_data_that_cannot_be_used(fails, model, write_docs, tmp_path):
    fails("There is nothing at nowhere", "benchmark", model, "nowhere")
    fails("There is no folder", "benchmark", tmp_path / "nowhere", write_docs())
    DocBin().to_disk(tmp_path / "empty.spacy")
    fails("holds no text", "benchmark", model, tmp_path / "empty.spacy")
