"""One pipeline in several threads, and in the workers of nlp.pipe."""

import pickle
import string
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from tiny_pipeline import CORPUS, found, make_examples, make_nlp, model_config, train
from tiny_transformer import save_bert

TEXTS = [text for text, _ in CORPUS if len(text.split()) > 1]


def make_cnn(_):
    nlp = make_nlp({"word_dropout": 0.5, "boundary_dropout": 0.5, "grid_dropout": 0.5})
    train(nlp, 30)
    return nlp


def make_transformer(path):
    pieces = [*string.ascii_lowercase, *(f"##{letter}" for letter in string.ascii_lowercase)]
    dropout = {"hidden_dropout_prob": 0.5, "attention_probs_dropout_prob": 0.5}
    save_bert(path, pieces, **dropout)
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
    # no entities are needed to see that scores differ, but there must be some
    nlp.add_pipe("gapdner", config={"model": model_config(tok2vec=listener), "threshold": 0.0})
    nlp.initialize(lambda: make_examples(nlp))
    train(nlp, 30)
    return nlp


@pytest.fixture(scope="module", params=[make_cnn, make_transformer])
def nlp(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("bert"))


def answer(doc):
    return [(label, tokens, round(entity.score, 4)) for (label, tokens), entity in entities(doc)]


def entities(doc):
    return zip(found(doc), doc._.discontinuous_ents, strict=True)


def test_threads_give_the_answer_of_one(nlp):
    expected = [answer(doc) for doc in map(nlp, TEXTS)]
    assert any(expected)

    def call(n):
        docs = nlp.pipe(TEXTS, batch_size=2) if n % 2 else map(nlp, TEXTS)
        return [answer(doc) for doc in docs]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(call, range(200 // len(TEXTS))))
    assert all(actual == expected for actual in answers)


def test_workers_predict_after_their_parent_has(nlp):
    expected = [answer(doc) for doc in map(nlp, TEXTS)]
    docs = nlp.pipe(TEXTS, n_process=2, batch_size=1)
    assert [answer(doc) for doc in docs] == expected


def test_a_pickled_pipeline_predicts_the_same(nlp):
    # so processes get it that are not forked
    sent = pickle.loads(pickle.dumps(nlp))
    assert [answer(doc) for doc in map(sent, TEXTS)] == [answer(doc) for doc in map(nlp, TEXTS)]


def test_training_drops_after_a_prediction(nlp):
    examples = make_examples(nlp)
    nlp(TEXTS[0])
    losses = {round(nlp.update(examples, sgd=None)["gapdner"], 4) for _ in range(3)}
    assert len(losses) == 3
