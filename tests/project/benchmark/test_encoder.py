from contextlib import contextmanager

import pytest
import torch


@contextmanager
def recorded_inputs(runner):
    """Inputs of the encoder: word pieces of the transformer, or Docs of the tok2vec."""
    inputs = []
    if runner.encoder.network is None:
        func = runner.encoder.layer._func

        def record_docs(model, docs, is_train):
            inputs.append(([doc.text for doc in docs], is_train))
            return func(model, docs, is_train)

        runner.encoder.layer._func = record_docs
        yield inputs
        runner.encoder.layer._func = func
        return

    def record(module, args, kwargs):
        is_mixed = torch.is_autocast_enabled("cpu")
        inputs.append((kwargs["input_ids"].tolist(), module.training, is_mixed))

    handle = runner.encoder.network.register_forward_pre_hook(record, with_kwargs=True)
    yield inputs
    handle.remove()


@pytest.mark.parametrize("is_train", [False, True])
def test_encoder_computes_the_same_separately(runner, examples, is_train):
    docs = [example.predicted for example in examples]
    inputs = runner.encoder.read(docs, is_train)
    with recorded_inputs(runner) as separately:
        runner.encoder.run(inputs, is_train)
    with recorded_inputs(runner) as in_model:
        if is_train:
            runner.update(examples)
        else:
            runner.predict(docs)
    assert separately == in_model
    assert all(training == is_train for _, training, *_ in separately)
