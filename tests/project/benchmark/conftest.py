import pytest
from benchmark_pipelines import ENCODERS, make_pipeline
from tiny_pipeline import CORPUS, save_corpus
from tiny_transformer import save_bert

from project.benchmark.data import read_examples
from project.benchmark.speed import Runner


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    words = sorted({word for text, _ in CORPUS for word in text.split()})
    return save_bert(tmp_path_factory.mktemp("bert"), words, hidden_dropout_prob=0.1)


@pytest.fixture(scope="session", params=ENCODERS)
def runner(request, bert):
    nlp = make_pipeline(request.param, bert)
    return Runner(nlp, nlp.get_pipe("gapdner"))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Docs of 9, 8, 5, 1 and 5 words."""
    return save_corpus(tmp_path_factory.mktemp("data") / "gold.spacy")


@pytest.fixture
def examples(runner, data):
    return read_examples(runner.nlp, runner.pipe, data, 0)
