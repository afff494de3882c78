"""The weights after updates are those of thinc's optimizer."""

from functools import partial

import numpy as np
import pytest
import torch
from thinc.api import Adam, Optimizer, PyTorchShim, RAdam

from spacy_gapdner.model.optimizer import update_weights
from spacy_gapdner.model.shim import NetworkShim

STEPS = 60
ADAM = {"beta1": 0.9, "beta2": 0.99, "eps": 1e-3, "L2": 0.1, "grad_clip": 0.5}


def make_network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Linear(3, 2, bias=False))


def train(shim, finish, steps=STEPS):
    generator = torch.Generator().manual_seed(1)
    for step in range(steps):
        network = shim._model
        inputs = torch.randn(4, 5, generator=generator)
        # small and large gradients, of which some are clipped, and weights without a gradient
        part = network[0] if step % 3 == 2 else network
        (part(inputs) * 10.0 ** (step % 4 - 2)).square().sum().backward()
        finish(shim)
    return {
        name: weights.detach().numpy().copy() for name, weights in shim._model.named_parameters()
    }


def compare(make_optimizer, lr_scale=1.0):
    """The largest difference between the weights of our shim and thinc's, and our optimizer."""
    theirs, ours = make_optimizer(), make_optimizer()

    def finish_theirs(shim):
        # thinc updates weights whose gradient is zero, but not those that never had one
        for weights in shim._model.parameters():
            if weights.grad is not None and not weights.grad.any():
                weights.grad = None
        shim.finish_update(partial(theirs, lr_scale=lr_scale))

    expected = train(PyTorchShim(make_network()), finish_theirs)
    scaled = partial(ours, lr_scale=lr_scale)
    actual = train(NetworkShim(make_network()), lambda shim: shim.finish_update(scaled))
    start = dict(make_network().named_parameters())
    assert all(abs(w - start[name].detach().numpy()).max() > 0.01 for name, w in expected.items())
    return max(abs(actual[name] - expected[name]).max() for name in expected), ours


@pytest.mark.parametrize("lr_scale", [1.0, 5.0])
@pytest.mark.parametrize("changed", [{}, {"grad_clip": 0.0}, {"L2": 0.0}])
def test_adam_agrees_with_thinc(changed, lr_scale):
    settings = {**ADAM, **changed}
    make = partial(Adam, 0.01, use_averages=False, L2_is_weight_decay=True, **settings)
    difference, optimizer = compare(make, lr_scale)
    assert difference < 5e-6
    # the first layer had a gradient in each step
    assert sorted(optimizer.nr_update.values()) == [STEPS * 2 // 3, STEPS, STEPS]


class Stranger(Optimizer):
    __slots__ = ()


@pytest.mark.parametrize(
    "make",
    [
        partial(RAdam, 0.01, use_averages=False),
        partial(Adam, 0.01, use_averages=True),
        partial(Adam, 0.01, use_averages=False, L2=0.1, L2_is_weight_decay=False),
        partial(Optimizer, 0.01, use_averages=False, beta1=0.0, beta2=0.0),
        partial(Stranger, 0.01, use_averages=False),
    ],
)
def test_other_optimizers_are_those_of_thinc(make):
    assert not update_weights(make(), [])
    difference, _ = compare(make)
    assert difference < 1e-6


def test_any_function_is_an_optimizer():
    def halve(key, weights, gradient, *, lr_scale=1.0):
        return weights * 0.5 * lr_scale, gradient

    shim = NetworkShim(make_network())
    before = shim.network[0].weight.detach().numpy().copy()
    shim.network(torch.ones(1, 5)).sum().backward()
    shim.finish_update(partial(halve, lr_scale=4.0))
    np.testing.assert_allclose(shim.network[0].weight.detach().numpy(), before * 2, rtol=1e-6)
    assert all(weights.grad is None for weights in shim.network.parameters())


def test_moments_belong_to_the_optimizer_and_the_shim():
    """Two networks, and two optimizers of one network, do not share moments."""
    first, second = (Adam(0.01, use_averages=False) for _ in range(2))
    shims = [NetworkShim(make_network()) for _ in range(2)]
    for shim, optimizer in ((shims[0], first), (shims[1], first), (shims[0], second)):
        shim.network(torch.ones(1, 5)).sum().backward()
        shim.finish_update(optimizer)
    assert set(first.nr_update.values()) == set(second.nr_update.values()) == {1}
    assert {key[0] for key in first.mom1} == {shim.id for shim in shims}
    assert {key[0] for key in second.mom2} == {shims[0].id}


def test_learning_rate_of_zero():
    shim, optimizer = NetworkShim(make_network()), Adam(0.01, use_averages=False)
    before = shim.network[0].weight.detach().clone()
    shim.network(torch.ones(1, 5)).sum().backward()
    shim.finish_update(partial(optimizer, lr_scale=0.0))
    assert torch.equal(shim.network[0].weight, before)
