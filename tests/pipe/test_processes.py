"""One pipeline in several threads, in the workers of nlp.pipe and in other processes."""

import os
import pickle
import string
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from python_process import run_python, wait_until
from tiny_pipeline import CORPUS, fingerprint, found, make_examples, make_nlp, train
from tiny_transformer import load_small_pipeline, save_bert

TEXTS = [text for text, _ in CORPUS if len(text.split()) > 1]
# A network that is large enough for PyTorch to use several threads. The other tests only use one
# thread.
SCRIPT = """
import torch
from tiny_pipeline import fingerprint, make_doc, make_nlp
print(*fingerprint())
torch.set_num_threads(2)
nlp = make_nlp({"hidden_width": 128, "grid_width": 128})
docs = [make_doc(nlp, " ".join(["pain"] * 40)) for _ in range(2)]
# workers do not wait for threads
assert len(list(nlp.pipe(docs, n_process=2, batch_size=1))) == 2
"""


def make_cnn(_):
    nlp = make_nlp({"word_dropout": 0.5})
    train(nlp, 30)
    return nlp


def make_transformer(path):
    pieces = [*string.ascii_lowercase, *(f"##{letter}" for letter in string.ascii_lowercase)]
    save_bert(path, pieces, hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.5)
    nlp = load_small_pipeline(path)
    # the predictions can be incorrect, but there must be some
    nlp.get_pipe("gapdner").cfg["threshold"] = 0.0
    nlp.initialize(lambda: make_examples(nlp))
    train(nlp, 60, rate=0.001)
    # its schedule cannot be pickled
    nlp._optimizer = None
    return nlp


@pytest.fixture(scope="module", params=[make_cnn, make_transformer])
def nlp(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("bert"))


def results(doc):
    entities = zip(found(doc), doc._.discontinuous_ents, strict=True)
    return [(label, tokens, round(entity.score, 4)) for (label, tokens), entity in entities]


def test_workers_copies_and_threads_have_the_same_results(nlp):
    expected = [results(doc) for doc in map(nlp, TEXTS)]
    assert any(expected)
    # before the threads: forking while another thread exits can deadlock in MKL
    docs = nlp.pipe(TEXTS, n_process=2, batch_size=1)
    assert [results(doc) for doc in docs] == expected
    # this is how spawned processes receive it
    sent = pickle.loads(pickle.dumps(nlp))
    assert [results(doc) for doc in map(sent, TEXTS)] == expected

    def call(n):
        docs = nlp.pipe(TEXTS, batch_size=2) if n % 2 else map(nlp, TEXTS)
        return [results(doc) for doc in docs]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(call, range(24)))
    assert all(actual == expected for actual in answers)


def test_training_uses_dropout_after_a_prediction(nlp):
    examples = make_examples(nlp)
    nlp(TEXTS[0])
    losses = {round(nlp.update(examples, sgd=None)["gapdner"], 4) for _ in range(3)}
    assert len(losses) == 3


@pytest.mark.slow
def test_in_another_process():
    """With another hash seed, so that sets are ordered differently."""
    environment = {"OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "1"}
    output = run_python("-W", "ignore", "-c", SCRIPT, **environment)
    # the seed decides weights and predictions
    assert output.split() == list(fingerprint())


FORKED = """
import os, signal, sys, spacy, torch
from tiny_pipeline import make_doc, make_nlp

path, is_used, n_threads = sys.argv[1], sys.argv[2] == "used", int(sys.argv[3])
torch.set_num_threads(2)
nlp = spacy.load(path)
doc = make_doc(nlp, " ".join(["pain"] * 40))
if is_used:
    nlp(doc.copy())
child = os.fork()
if not child:
    # ends a child that waits for threads
    signal.alarm(60)
    if n_threads:
        torch.set_num_threads(n_threads)
    nlp(doc)
    print(torch.get_num_threads(), flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(torch.get_num_threads())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "n_threads", "expected"), [("loaded", 0, 1), ("loaded", 3, 3), ("used", 0, 1)]
)
def test_forked_process_predicts(state, n_threads, expected, tmp_path):
    """As in a server that loads the pipeline before it starts its workers."""
    make_nlp({"hidden_width": 128, "grid_width": 128}).to_disk(tmp_path)
    arguments = ("-W", "ignore", "-c", FORKED, str(tmp_path), state, str(n_threads))
    assert run_python(*arguments, OMP_NUM_THREADS="2").split() == [str(expected), "2"]


# answers with the number of threads
SERVER = """
import spacy, torch

nlp = spacy.load({path!r})
text = "severe joint and back pain " * 50

def application(environ, start_response):
    n_entities = len(nlp(text)._.discontinuous_ents)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{{torch.get_num_threads()}} {{n_entities}}".encode()]
"""


@pytest.mark.slow
@pytest.mark.parametrize(("options", "n_threads"), [((), 2), (("--preload",), 1)])
def test_gunicorn_predicts_in_its_workers(options, n_threads, tmp_path):
    make_nlp({"hidden_width": 128, "grid_width": 128}).to_disk(tmp_path / "model")
    (tmp_path / "served.py").write_text(SERVER.format(path=str(tmp_path / "model")))
    address = tmp_path / "socket"
    command = [sys.executable, "-m", "gunicorn", "served:application", *options]
    command += ["--workers", "2", "--bind", f"unix:{address}", "--timeout", "60"]
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment) as server:
        try:
            wait_until(address.exists)
            client = httpx2.Client(transport=httpx2.HTTPTransport(uds=str(address)), timeout=100)
            found = [client.get("http://localhost/").text.split() for _ in range(4)]
        finally:
            server.terminate()
    assert {int(threads) for threads, _ in found} == {n_threads}
    assert len({n_entities for _, n_entities in found}) == 1
