"""One pipeline in several threads, in the workers of nlp.pipe and in other processes."""

import os
import pickle
import string
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import spacy
from tiny_pipeline import CORPUS, fingerprint, found, make_examples, make_nlp, model_config, train
from tiny_transformer import save_bert

TEXTS = [text for text, _ in CORPUS if len(text.split()) > 1]
# A network that is large enough for PyTorch to use its threads, while the tests themselves compute
# with one
SCRIPT = """
import torch
from tiny_pipeline import fingerprint, make_doc, make_nlp
print(*fingerprint())
torch.set_num_threads(2)
nlp = make_nlp({"hidden_width": 128, "grid_width": 128})
docs = [make_doc(nlp, " ".join(["pain"] * 40)) for _ in range(2)]
for n_process in (1, 2):
    print([len(doc.spans) for doc in nlp.pipe(docs, n_process=n_process, batch_size=1)])
"""


def make_cnn(_):
    nlp = make_nlp({"word_dropout": 0.5})
    train(nlp, 30)
    return nlp


def make_transformer(path):
    pieces = [*string.ascii_lowercase, *(f"##{letter}" for letter in string.ascii_lowercase)]
    save_bert(path, pieces, hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.5)
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-gapdner.TransformerModel.v1", "name": str(path)}
    spans = {"@span_getters": "spacy-gapdner.segment_spans.v1", "max_length": 32, "stride": 24}
    nlp.add_pipe("transformer", config={"model": {**model, "get_spans": spans}})
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "grad_factor": 1.0,
        "upstream": "*",
        "pooling": {"@layers": "spacy-gapdner.reduce_max.v1"},
    }
    # the predictions can be incorrect, but there must be some
    nlp.add_pipe("gapdner", config={"model": model_config(tok2vec=listener), "threshold": 0.0})
    nlp.initialize(lambda: make_examples(nlp))
    train(nlp, 60)
    return nlp


@pytest.fixture(scope="module", params=[make_cnn, make_transformer])
def nlp(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("bert"))


def answer(doc):
    entities = zip(found(doc), doc._.discontinuous_ents, strict=True)
    return [(label, tokens, round(entity.score, 4)) for (label, tokens), entity in entities]


def test_workers_copies_and_threads_give_the_same_answer(nlp):
    expected = [answer(doc) for doc in map(nlp, TEXTS)]
    assert any(expected)
    # before the threads: MKL's memory is locked forever in a fork that comes as a thread ends
    docs = nlp.pipe(TEXTS, n_process=2, batch_size=1)
    assert [answer(doc) for doc in docs] == expected
    # so processes get it that are not forked
    sent = pickle.loads(pickle.dumps(nlp))
    assert [answer(doc) for doc in map(sent, TEXTS)] == expected

    def call(n):
        docs = nlp.pipe(TEXTS, batch_size=2) if n % 2 else map(nlp, TEXTS)
        return [answer(doc) for doc in docs]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(call, range(24)))
    assert all(actual == expected for actual in answers)


def test_training_drops_after_a_prediction(nlp):
    examples = make_examples(nlp)
    nlp(TEXTS[0])
    losses = {round(nlp.update(examples, sgd=None)["gapdner"], 4) for _ in range(3)}
    assert len(losses) == 3


@pytest.mark.slow
def test_in_another_process():
    """One in which sets of texts have another order."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    hashes, one_process, two_processes = result.stdout.splitlines()
    # the seed decides weights and predictions
    assert hashes.split() == list(fingerprint())
    # workers do not wait for threads
    assert one_process == two_processes
