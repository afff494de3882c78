import hashlib
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from benchmark_pipelines import make_pipeline

from spacy_gapdner.benchmark.corpus import make_batches
from spacy_gapdner.benchmark.results import add_up
from spacy_gapdner.benchmark.speed import Runner, time_pipe, time_prediction, time_training

SIZES = (1, 2, 100)


def fingerprint(runner):
    return hashlib.sha256(runner.nlp.to_bytes(exclude=["vocab", "tokenizer"])).hexdigest()


def gradients(network):
    return [p.grad for p in network.parameters() if p.grad is not None]


@contextmanager
def noted_inputs(runner):
    """What the encoder computes: word pieces of the transformer, or documents of the tok2vec."""
    noted = []
    if runner.encoder.network is None:
        func = runner.encoder.layer._func

        def note_docs(model, docs, is_train):
            noted.append(([doc.text for doc in docs], is_train))
            return func(model, docs, is_train)

        runner.encoder.layer._func = note_docs
        yield noted
        runner.encoder.layer._func = func
        return

    def note(module, args, kwargs):
        is_mixed = torch.is_autocast_enabled("cpu")
        noted.append((kwargs["input_ids"].tolist(), module.training, is_mixed))

    handle = runner.encoder.network.register_forward_pre_hook(note, with_kwargs=True)
    yield noted
    handle.remove()


def test_the_encoder_that_is_found(runner):
    component = runner.encoder.component
    own = runner.pipe.model.get_ref("tok2vec")
    assert (component is None) == (runner.encoder.layer is own)
    if "transformer" in runner.nlp.pipe_names:
        transformer = runner.nlp.get_pipe("transformer")
        assert component is transformer
        assert runner.encoder.network is transformer.model.transformer
        weights = transformer.model.transformer.state_dict().values()
        n_weights = sum(w.numel() for w in weights if w.is_floating_point())
        assert runner.encoder.n_weights() == n_weights
    else:
        assert runner.encoder.network is None
        assert runner.encoder.n_weights() > 0


@pytest.mark.parametrize("is_train", [False, True])
def test_the_encoder_alone_does_the_same_work(runner, corpus, is_train):
    examples = corpus.examples[:4]
    docs = [example.predicted for example in examples]
    inputs = runner.encoder.read(docs, is_train)
    with noted_inputs(runner) as alone:
        (runner.encoder.update if is_train else runner.encoder.predict)(inputs)
    with noted_inputs(runner) as in_model:
        if is_train:
            runner.update(examples)
        else:
            runner.predict(docs)
    assert alone == in_model
    assert all(training == is_train for _, training, *_ in alone)


def test_the_encoder_alone_is_as_precise(bert):
    nlp = make_pipeline("spacy-gapdner.TransformerModel.v1", bert, mixed_precision=True)
    runner = Runner(nlp, nlp.get_pipe("gapdner"))
    docs = [nlp.make_doc("fever")]
    inputs = runner.encoder.read(docs, is_train=False)
    with noted_inputs(runner) as noted:
        runner.encoder.predict(inputs)
        runner.predict(docs)
    assert [is_mixed for _, _, is_mixed in noted] == [True, True]


def test_the_encoder_alone_computes_all_gradients(runner, corpus):
    docs = [example.predicted for example in corpus.examples]
    runner.finish_update()
    runner.encoder.update(runner.encoder.read(docs, is_train=True))
    if runner.encoder.network is None:
        nodes = [node for node in runner.encoder.layer.walk() if node.param_names]
        assert all(node.has_grad(name) for node in nodes for name in node.param_names)
        runner.encoder.clear_gradients()
        for node in nodes:
            assert not any(np.any(node.get_grad(name)) for name in node.param_names)
        return
    names = {n for n, p in runner.encoder.network.named_parameters() if p.grad is not None}
    # nothing reads what BERT makes of its first word piece
    assert {n for n, _ in runner.encoder.network.named_parameters()} - names == {
        "pooler.dense.weight",
        "pooler.dense.bias",
    }
    assert any(torch.any(gradient) for gradient in gradients(runner.encoder.network))
    runner.encoder.clear_gradients()
    assert not any(torch.any(gradient) for gradient in gradients(runner.encoder.network))


@pytest.mark.parametrize("time_batches", [time_prediction, time_training])
@pytest.mark.parametrize("size", SIZES)
def test_batches_cover_all_sentences(runner, corpus, time_batches, size):
    timings = time_batches(runner, corpus, size, repeats=1)
    speed = add_up(timings)
    assert (speed.n_sentences, speed.n_words) == (len(corpus.examples), sum(corpus.lengths))
    assert all(timing.n_sentences <= size for timing in timings)
    assert [timing.group for timing in timings] == sorted((t.group for t in timings), reverse=True)
    assert all(timing.encoder > 0 and timing.model > 0 for timing in timings)
    assert all((timing.optimizer > 0) == (time_batches is time_training) for timing in timings)


def test_nothing_is_learned_and_nothing_left(runner, corpus):
    before = fingerprint(runner)
    time_training(runner, corpus, 2, repeats=2)
    time_prediction(runner, corpus, 2, repeats=2)
    assert fingerprint(runner) == before
    assert not any(example.predicted.user_data for example in corpus.examples)
    network = runner.pipe.model.get_ref("grid").layers[0].shims[0]._model
    assert not any(torch.any(gradient) for gradient in gradients(network))


def test_every_repeat_computes(runner, corpus):
    batches = make_batches(corpus.lengths, 100)
    docs = [[corpus.examples[i].predicted for i in batch] for batch in batches]
    with noted_inputs(runner) as one_pass:
        for batch in docs:
            runner.predict(batch)
    with noted_inputs(runner) as once:
        time_prediction(runner, corpus, 100, repeats=1)
    with noted_inputs(runner) as thrice:
        time_prediction(runner, corpus, 100, repeats=3)
    # two more passes of the encoder alone, and two of the model
    assert len(thrice) - len(once) == 4 * len(one_pass)


def test_pipe_runs_on_all_texts(runner, corpus, monkeypatch):
    seen = []
    annotate = runner.pipe.set_annotations

    def note(docs, entities):
        seen.extend(doc.text for doc in docs)
        annotate(docs, entities)

    monkeypatch.setattr(runner.pipe, "set_annotations", note)
    assert time_pipe(runner, corpus) > 0
    assert seen == corpus.texts
