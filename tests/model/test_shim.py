import tracemalloc

import pytest
import torch
from thinc.api import Adam, RAdam

from spacy_gapdner import GapDNERError
from spacy_gapdner.model.shim import NetworkShim


def make_dropout():
    network = torch.nn.Dropout(0.5)
    network.weights = torch.nn.Parameter(torch.zeros(1))
    return network


def test_copies_have_their_own_moments():
    shim = NetworkShim(make_dropout())
    assert shim.copy().id != shim.id


def test_prediction_leaves_dropout_off():
    network, inputs = make_dropout(), torch.ones(100)
    output = NetworkShim(network).run(lambda: network(inputs))
    assert torch.equal(output, inputs)
    # as in another thread
    assert torch.equal(network(inputs), inputs)


def test_training_uses_dropout_after_a_prediction():
    network, inputs = make_dropout(), torch.ones(100)
    shim = NetworkShim(network)
    shim.run(lambda: network(inputs))
    (output,), _ = shim.run_training(lambda: [network(inputs)])
    assert set(output.tolist()) == {0.0, 2.0}


def count_memory(optimizer):
    shim = NetworkShim(torch.nn.Linear(2, 2))

    def update(times):
        for _ in range(times):
            shim.network(torch.ones(2)).sum().backward()
            shim.finish_update(optimizer)

    update(100)
    tracemalloc.start()
    try:
        update(500)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return grown


def test_memory_does_not_grow_with_the_number_of_updates():
    # 400 kB with the shim of thinc
    assert count_memory(RAdam(0.001)) < 50_000
    assert count_memory(Adam(0.001)) < 50_000


def test_full_memory_of_a_gpu_is_explained():
    shim = NetworkShim(torch.nn.Linear(2, 2))

    def fail(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        backward = staticmethod(fail)

    (output,), backprop = shim.run_training(lambda: [Failing.apply(shim.network(torch.ones(2)))])
    calls = [lambda: shim.run(fail), lambda: shim.run_training(fail), lambda: backprop([output])]
    for call in calls:
        with pytest.raises(GapDNERError, match=r"memory of the GPU is full\. Use smaller batches"):
            call()
