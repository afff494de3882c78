import pytest
from benchmark_pipelines import ENCODERS, TEXTS, make_pipeline
from tiny_pipeline import CORPUS
from tiny_transformer import save_bert

from spacy_gapdner.benchmark.corpus import read_corpus
from spacy_gapdner.benchmark.speed import Runner


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    words = sorted({word for text, _ in CORPUS for word in text.split()})
    return save_bert(tmp_path_factory.mktemp("bert"), words, hidden_dropout_prob=0.1)


@pytest.fixture(scope="session", params=ENCODERS)
def runner(request, bert):
    nlp = make_pipeline(request.param, bert)
    return Runner(nlp, nlp.get_pipe("gapdner"))


@pytest.fixture
def corpus(runner):
    docs = [runner.nlp.make_doc(text) for text in TEXTS]
    return read_corpus(runner.nlp, runner.pipe, docs)
