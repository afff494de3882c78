import pytest
import spacy
from tiny_pipeline import CORPUS, make_examples, model_config, save_corpus
from tiny_transformer import load_small_pipeline, save_bert

from project.benchmark.data import read_examples
from project.benchmark.speed import Runner


@pytest.fixture(scope="session", params=["transformer", "tok2vec", "tok2vec of its own"])
def runner(request, tmp_path_factory):
    """Each kind of encoder."""
    spacy.util.fix_random_seed(0)
    model = model_config()
    if request.param == "transformer":
        words = sorted({word for text, _ in CORPUS for word in text.split()})
        bert = save_bert(tmp_path_factory.mktemp("bert"), words, hidden_dropout_prob=0.1)
        nlp = load_small_pipeline(bert)
    else:
        nlp = spacy.blank("en")
        nlp.add_pipe("gapdner_sentencizer", name="sentencizer")
        if request.param == "tok2vec":
            nlp.add_pipe("tok2vec", config={"model": model["tok2vec"]})
            model["tok2vec"] = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24}
        nlp.add_pipe("gapdner", config={"model": model, "max_length": 12, "stride": 9})
    nlp.batch_size = 3
    nlp.initialize(lambda: make_examples(nlp))
    return Runner(nlp, nlp.get_pipe("gapdner"))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Docs of 9, 8, 5, 1 and 4 words."""
    return save_corpus(tmp_path_factory.mktemp("data") / "gold.spacy")


@pytest.fixture
def examples(runner, data):
    return read_examples(runner.nlp, runner.pipe, data, 0)
