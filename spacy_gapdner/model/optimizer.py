"""Run thinc's Adam for all weights of a PyTorch network at once.

thinc's `PyTorchShim` calls the optimizer once per tensor. Each call clips the gradient, which waits
for the GPU, updates the weights, and wraps them in a new tensor. For a transformer, this takes as
long as the forward and backward pass. The shim could pass the tensors to PyTorch's fused Adam, as
here, if thinc's Optimizer offered its state for several keys at once. That would be a change of two
files in thinc: a method `Optimizer.update_all(keys, weights, gradients)` that calls `__call__` by
default, and an implementation for torch tensors in `PyTorchShim.finish_update`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch
from thinc.api import Optimizer
from torch import Tensor
from torch.optim.adamw import adamw

# Updates the weights under a key: takes key, weights and gradient and returns new ones
Update = Callable[..., tuple[Any, Any]]
Key = tuple[int, str]


def update_weights(optimizer: Update, weights: Iterable[tuple[Key, Tensor]]) -> bool:
    """Update weights in place, without waiting for the GPU, if the optimizer is thinc's Adam.

    As in thinc, the gradient of each tensor is clipped by its own norm, and the weights decay after
    the step. The moments are stored in the optimizer.

    optimizer (Callable): A thinc Optimizer, a partial of one with an `lr_scale`, or a function.
    weights (Iterable[tuple[Key, Tensor]]): The weights with a gradient, with unique keys.
    RETURNS (bool): Whether the weights were updated. Other optimizers, such as RAdam, and averages
        are left to thinc.
    """
    scaled = optimizer if isinstance(optimizer, partial) else partial(optimizer)
    adam = scaled.func
    if type(adam) is not Optimizer or not _is_adam(adam):
        return False
    # weights that were added or unfrozen later have had fewer updates
    by_step: dict[int, list[tuple[Key, Tensor]]] = defaultdict(list)
    for key, tensor in weights:
        adam.nr_update[key] += 1
        by_step[adam.nr_update[key]].append((key, tensor))
    with torch.no_grad():
        for step, group in by_step.items():
            _step(adam, step, scaled.keywords.get("lr_scale", 1.0), group)
    return True


def _is_adam(optimizer: Optimizer) -> bool:
    is_plain = optimizer.averages is None and not optimizer.use_radam
    decays = optimizer.L2_is_weight_decay or not optimizer.L2
    return is_plain and decays and optimizer.b1 > 0 and optimizer.b2 > 0


def _step(
    optimizer: Optimizer, step: int, lr_scale: float, group: list[tuple[Key, Tensor]]
) -> None:
    weights = [tensor.data for _, tensor in group]
    gradients = [tensor.grad for _, tensor in group if tensor.grad is not None]
    if optimizer.grad_clip:
        _clip(gradients, optimizer.grad_clip)
    first, second = (
        [_get_moment(known, key, tensor) for key, tensor in group]
        for known in (optimizer.mom1, optimizer.mom2)
    )
    # PyTorch counts the steps on the device, and adds one
    steps = torch.full((len(group),), step - 1.0, device=weights[0].device).unbind()
    rate = optimizer.learn_rate * lr_scale
    decay = rate * optimizer.L2
    # PyTorch decays the weights before the step: (w - s) * (1 - d) = w * (1 - d) - s * (1 - d)
    rate *= 1 - decay
    adamw(
        weights,
        gradients,
        first,
        second,
        [],
        list(steps),
        fused=True,
        amsgrad=False,
        maximize=False,
        beta1=optimizer.b1,
        beta2=optimizer.b2,
        lr=rate,
        weight_decay=decay / rate if rate else 0.0,
        # thinc adds eps before the second moment is corrected
        eps=optimizer.eps / (1 - optimizer.b2**step) ** 0.5,
    )


def _get_moment(known: dict[Key, Any], key: Key, tensor: Tensor) -> Tensor:
    if key not in known:
        known[key] = torch.zeros_like(tensor.data)
    moment: Tensor = known[key]
    return moment


def _clip(gradients: list[Tensor], limit: float) -> None:
    norms = torch.stack(torch._foreach_norm(gradients))
    factors = limit / norms.clamp(min=limit)
    torch._foreach_mul_(gradients, list(factors.unbind()))
