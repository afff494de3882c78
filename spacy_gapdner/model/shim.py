"""PyTorch networks under thinc: updates in place, prediction from threads and in forks, caches."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from thinc.api import ArgsKwargs, Optimizer, PyTorchShim, xp2torch
from thinc.types import FloatsXd
from torch import nn

# For how many shapes of inputs oneDNN, which computes LSTMs and products in bfloat16 on a CPU,
# keeps what it has prepared. It would keep 1,024, each of up to some megabytes, while batches of
# sentences hardly ever have the same shape twice. A batch needs some ten shapes at a time.
_ONEDNN_CACHES = {"LRU_CACHE_CAPACITY": "16", "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16"}
# The process that imported PyTorch, or a fork of it that is known to use one thread
_process = os.getpid()


class InPlaceShim(PyTorchShim):
    """A PyTorchShim whose weights stay where they are.

    thinc gives each weight a new tensor over an array over the old tensor. So every update adds a
    link to a chain that is never freed: for 200 weights, gigabytes in a long training.
    """

    def finish_update(self, optimizer: Optimizer) -> None:
        """Apply the gradients.

        optimizer (Optimizer): The optimizer.
        """
        before = {name: weights.data for name, weights in self._model.named_parameters()}
        super().finish_update(optimizer)
        with torch.no_grad():
            for name, weights in self._model.named_parameters():
                kept = before[name]
                if weights.data_ptr() != kept.data_ptr():
                    kept.copy_(weights)
                weights.data = kept

    @contextmanager
    def use_params(self, params: Mapping[tuple[int, str], FloatsXd]) -> Iterator[None]:
        """Take other weights for a time, as the averages that an optimizer keeps. thinc looks for
        them under names that its optimizers do not give.

        params (Mapping[tuple[int, str], FloatsXd]): Weights by the shim's id and their name.
        """
        named = self._model.named_parameters() if self._model is not None else ()
        used = {name: weights.data for name, weights in named if (self.id, name) in params}
        own = {name: weights.clone() for name, weights in used.items()}
        for name, weights in used.items():
            weights.copy_(xp2torch(params[self.id, name]))
        try:
            yield
        finally:
            for name, weights in used.items():
                weights.copy_(own[name])


def infer(network: nn.Module, calls: Iterable[ArgsKwargs]) -> list[Any]:
    """Run a network without gradients and without dropout.

    thinc's PyTorchShim does so, too, but then sets the network to training mode, so that dropout
    acts on what another thread predicts at that time.

    network (Module): The network.
    calls (Iterable[ArgsKwargs]): What it is called with, one call after the other.
    RETURNS (list[Any]): What each call returns.
    """
    # without a look at network.training: another thread may be about to set the modules within
    network.eval()
    with torch.no_grad():
        return [network(*inputs.args, **inputs.kwargs) for inputs in calls]


def use_one_thread_in_forks() -> None:
    """Have PyTorch compute with one thread if this process is a fork, as its own data loaders do.

    OpenMP's thread pool does not survive a fork: a worker of `nlp.pipe(n_process=2)` would wait
    for it forever. To be called before PyTorch computes; only the first call has an effect.
    """
    global _process
    if os.getpid() != _process:
        torch.set_num_threads(1)
        _process = os.getpid()


def bound_onednn_caches() -> None:
    """Keep what oneDNN prepares for inputs of some shapes on a CPU, not of a thousand: a long
    training would grow by gigabytes.

    Sets `LRU_CACHE_CAPACITY` and `ONEDNN_PRIMITIVE_CACHE_CAPACITY` in the environment, which
    PyTorch and oneDNN read when they first need them; those that are set are kept.
    """
    for name, capacity in _ONEDNN_CACHES.items():
        os.environ.setdefault(name, capacity)
