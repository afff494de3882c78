import json
from itertools import count

import pytest
import spacy
import torch
from command_lines import invoke
from tiny_pipeline import make_nlp
from tiny_transformer import save_bert
from transformers import AutoModel, AutoTokenizer

from project.benchmark.__main__ import app
from project.benchmark.data import shuffle_batches
from project.benchmark.memory import measure_gpu_memory
from project.benchmark.parts import PartTimer, prediction_parts, training_parts
from project.benchmark.pipelines import save_random_encoder
from project.benchmark.speed import time_batches, time_updates
from project.benchmark.utilization import add_up_intervals, measure_busy_time
from spacy_gapdner.model.thinc_wrapper import get_shim


def slow_down(monkeypatch, runner, durations):
    """Replace the clock by one that only advances in these functions."""
    now = [0.0]
    monkeypatch.setattr(runner, "_clock", lambda: now[0])

    def delayed(function, seconds):
        def call(*args, **kwargs):
            now[0] += seconds
            return function(*args, **kwargs)

        return call

    for owner, name, seconds in durations:
        monkeypatch.setattr(owner, name, delayed(getattr(owner, name), seconds))


def test_batches_add_up(runner, examples, monkeypatch):
    """Five Docs in two batches of prediction, and one of training. The encoder takes 1 second, word
    pieces 100, grids 10, the loss 1000, and the optimizer 10,000."""
    encoder, model = runner.encoder, runner.pipe.model
    durations = [(model.get_ref("grid"), "_func", 10), (runner.pipe, "get_loss", 1000)]
    durations.append((runner, "finish_update", 10_000))
    if encoder.network is None:
        durations.append((encoder.layer, "_func", 1))
    else:
        durations.append((encoder.network, "forward", 1))
        durations += [(encoder.component, name, 100) for name in ("predict", "update")]
    slow_down(monkeypatch, runner, durations)
    for is_train, loss, optimizer in ((False, 0, 0), (True, 1000, 10_000)):
        found = time_batches(runner, examples, 2, is_train=is_train)
        n_batches = 1 if is_train else 2
        assert found["model"] == found["encoder"] + n_batches * (10 + loss)
        assert found["encoder"] >= n_batches
        assert found["optimizer"] == optimizer


def test_time_of_nested_parts():
    """The clock advances by 1 with each reading."""
    timer = PartTimer(count().__next__)
    inner = timer.wrap("inner", lambda value: value + 1)
    with timer.part("outer"):
        assert inner(1) == 2
        with timer.part("outer"), pytest.raises(ZeroDivisionError):
            timer.wrap("failing", lambda: 1 / 0)()
    assert inner(3) == 4
    # readings: outer 0, inner 1 to 2, outer again 3, failing 4 to 5, 6, 7, inner 8 to 9
    assert timer.seconds == {"outer": 5, "inner": 2, "failing": 1}


def test_time_of_parts(runner, examples, monkeypatch):
    """Five Docs in two batches of prediction and one of training. Each part takes another power of
    ten, and its backward pass no time."""
    encoder, model, pipe = runner.encoder, runner.pipe.model, runner.pipe
    network = get_shim(model.get_ref("grid")).network
    durations = {
        "bilstm": (network.bilstm, "forward", 1),
        "criss cross": (network.criss_cross, "classify", 10),
        "rest of the grid network": (model.get_ref("grid"), "_func", 100),
        "decoding": (pipe, "predict", 1_000),
        "annotation": (pipe, "set_annotations", 10_000),
        "loss": (pipe, "get_loss", 100_000),
        "optimizer": (runner, "finish_update", 1_000_000),
        "encoder": (encoder.layer, "_func", 10_000_000),
    }
    if encoder.network is not None:
        durations["encoder"] = (encoder.network, "forward", 10_000_000)
        durations["word pieces, alignment"] = (encoder.layer, "_func", 100_000_000)
    slow_down(monkeypatch, runner, durations.values())
    only = {True: {"loss", "optimizer"}, False: {"decoding", "annotation"}}
    for is_train, find in ((False, prediction_parts), (True, training_parts)):
        found = {name: seconds for name, seconds in find(runner, examples).items() if seconds}
        n_batches = 1 if is_train else 2
        expected = {
            name: seconds * n_batches
            for name, (*_, seconds) in durations.items()
            if name not in only[not is_train]
        }
        # each batch has one call or more of its network
        several = {"bilstm", "criss cross", "encoder"}
        assert {n: s for n, s in found.items() if n not in several} == {
            n: s for n, s in expected.items() if n not in several
        }
        assert all(found[name] % expected[name] == 0 for name in several)


def test_names_of_parts(runner, examples):
    parts = {"encoder", "pooling to words", "bilstm", "token maps", "biaffine", "span attention"}
    parts |= {"criss cross", "rest of the grid network", "rest"}
    backward = {"backward pass: encoder", "backward pass: pooling to words"}
    if runner.encoder.network is not None:
        parts |= {"word pieces, alignment"}
    if runner.encoder.component is None:
        parts -= {"pooling to words"}
        backward -= {"backward pass: pooling to words"}
    layers = [runner.pipe.model.get_ref(name) for name in ("grid", "tok2vec")]
    before = [layer._func for layer in layers]
    for find, own in (
        (prediction_parts, {"tokenizing", "sentencizer", "decoding", "annotation"}),
        (training_parts, {"loss", "optimizer", "backward pass: grid network"} | backward),
    ):
        seconds = find(runner, examples, repeats=2)
        assert set(seconds) == parts | own
        assert min(seconds.values()) > 0
        assert list(seconds)[-1] == "rest"
    # the pipeline does not change
    assert [layer._func for layer in layers] == before
    assert "forward" not in vars(runner.encoder.network or object)
    assert "classify" not in vars(get_shim(layers[0]).network.criss_cross)


def test_time_of_updates(runner, examples, monkeypatch):
    """The optimizer takes 10, 20, ... seconds. Three batches, and three repetitions."""
    runs = count(1)
    now = [0.0]

    def finish_update():
        now[0] += 10 * next(runs)

    monkeypatch.setattr(runner, "_clock", lambda: now[0])
    monkeypatch.setattr(runner, "finish_update", finish_update)
    assert time_updates(runner, examples, 2, batch_size=2) == [10, 20, 30]
    assert next(runs) == 10


def test_shuffled_batches(runner, examples):
    batches = shuffle_batches(examples, 2)
    shuffled = [example.reference for batch in batches for example in batch]
    assert [len(batch) for batch in batches] == [2, 2, 1]
    assert {id(doc) for doc in shuffled} == {id(example.reference) for example in examples}
    assert shuffled != [example.reference for example in examples]
    again = shuffle_batches(examples, 5)
    assert shuffled == [example.reference for example in again[0]]


def test_intervals_count_once():
    assert add_up_intervals([]) == 0
    # 0 to 3 and 5 to 6
    assert add_up_intervals([(5, 6), (0, 2), (1, 3), (1, 2), (5, 5.5)]) == 4


def test_no_utilization_without_gpu():
    assert measure_busy_time(lambda: None) is None
    assert measure_gpu_memory(lambda: 7) == (7, None)


@pytest.mark.parametrize("given", [True, False], ids=["given tokenizer", "own tokenizer"])
def test_random_encoder(tmp_path, given):
    tokenizer = None
    if given:
        tokenizer = tmp_path / "given"
        tokenizer.mkdir()
        save_bert(tokenizer, ["pain", "##ful"])
    save_random_encoder(tmp_path / "bert", "tiny", ["painful pain"] * 3, tokenizer)
    loaded = AutoTokenizer.from_pretrained(tmp_path / "bert")
    assert loaded.tokenize("Pain painful") == [
        "pain",
        *(["pain", "##ful"] if given else ["painful"]),
    ]
    model = AutoModel.from_pretrained(tmp_path / "bert")
    assert model.embeddings.word_embeddings.weight.shape == (30_522, 32)
    # a word piece per column
    ids = loaded("pain", return_tensors="pt")
    assert model(**ids).last_hidden_state.shape == (1, 3, 32)


@pytest.mark.parametrize("name", ["gapdner", "ner"])
def test_untrained_pipelines(data, tmp_path, name):
    nlp = spacy.blank("en")
    nlp.add_pipe(name)
    nlp.to_disk(tmp_path / "model")
    result = invoke(app, tmp_path / "model", "--data", data, exit_code=1)
    message = f"{tmp_path / 'model'} is not trained: {name} has no labels. Train it first."
    assert result.stderr.strip() == f"✘ {message}"


@pytest.mark.slow
def test_all(data, tmp_path, monkeypatch):
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)
    model, path = tmp_path / "model", tmp_path / "out" / "speed.json"
    make_nlp().to_disk(model)
    options = "--threads", 1, "--cpu-time", "--repeats", 1, "--limit", 4, "--json", path
    options += "--train-batches", 3
    result = invoke(app, model, "--data", data, *options)
    (found,) = json.loads(path.read_text())
    assert (found["docs"], found["words"], found["threads"]) == (4, 9 + 8 + 5 + 1, 1)
    words = " ".join(result.stdout.split())
    assert words.startswith("4 Docs, 23 words Speed, CPU time, 1 thread ")
    assert len(found["speed"]) == 7
    for name, of in found["speed"].items():
        encoder = found["speed"][f"{name.split(':')[0]}: encoder alone"]
        assert of["words_per_second"] == pytest.approx(23 / of["seconds"])
        assert of["ratio"] == pytest.approx(of["seconds"] / encoder["seconds"])
        cells = f"{of['words_per_second']:,.0f} {of['seconds']:.2f} {of['ratio']:.2f}"
        assert f"{name} {cells}" in words
    updates = found["speed"]["training: nlp.update, 3 a batch"]
    assert updates["seconds_per_batch"] == pytest.approx(updates["seconds"] / 2)
    decoding = found["parts"]["nlp.pipe"]["decoding"] / sum(found["parts"]["nlp.pipe"].values())
    assert f"decoding {100 * decoding:.1f} -" in words
    memory = found["memory"]["training: nlp.update, 3 a batch"]
    assert memory["loading"] > 50_000_000
    row = f"{memory['loading'] / 1e6:,.0f} {memory['peak'] / 1e6:,.0f}"
    assert f"training: nlp.update, 3 a batch {row}" in words


@pytest.mark.slow
def test_new_pipelines(data, tmp_path, monkeypatch):
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)
    path = tmp_path / "overhead.json"
    options = "--data", data, "--repeats", 1, "--json", path
    result = invoke(app, "--overhead", *options)
    found = json.loads(path.read_text())
    assert [of["model"] for of in found] == ["gapdner", "ner", "spancat"]
    words = " ".join(result.stdout.split())
    assert words.startswith("5 Docs, 27 words Overhead, CPU time, 1 thread ")
    for of in found:
        # a single batch
        assert of["training_words_per_second"] == pytest.approx(27 / of["seconds_per_batch"])
        speeds = of["training_words_per_second"], of["prediction_words_per_second"]
        cells = f"{speeds[0]:,.0f} {speeds[1]:,.0f}"
        assert f"{of['model']} {1000 * of['seconds_per_batch']:.1f} {cells}" in words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Specify either MODELS, or --overhead, --random-encoder or --encoder."),
        (["m", "--overhead"], "Specify either MODELS, or --overhead, --random-encoder or"),
        (["--overhead", "--random-encoder", "base"], "Specify either MODELS, or --overhead,"),
        (["--overhead", "--pipes", "textcat"], "Unknown --pipes: textcat. Use gapdner,ner,"),
        (["m", "--train-batches", "12,x"], "Invalid batch sizes: 12,x. Use positive numbers"),
        (["m", "--pipe-batches", "0"], "Invalid batch sizes: 0. Use positive numbers"),
    ],
)
def test_invalid_options(options, message):
    assert message in invoke(app, *options, exit_code=1).stderr
