from contextlib import contextmanager

import pytest
import torch


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


@pytest.mark.parametrize("is_train", [False, True])
def test_the_encoder_alone_does_the_same_work(runner, examples, is_train):
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
