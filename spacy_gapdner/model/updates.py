"""Changes of PyTorch weights in the place where they are."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from thinc.api import Optimizer, PyTorchShim, xp2torch
from thinc.types import FloatsXd
from torch import nn


@contextmanager
def in_place(network: nn.Module) -> Iterator[None]:
    """Keep the memory of weights through thinc's update of them.

    thinc gives each weight a new tensor over an array over the old tensor. So every update adds a
    link to a chain that is never freed: for 200 weights, gigabytes in a long training.

    network (nn.Module): The network that is updated meanwhile.
    """
    before = {name: weights.data for name, weights in network.named_parameters()}
    yield
    with torch.no_grad():
        for name, weights in network.named_parameters():
            kept = before[name]
            if weights.data_ptr() != kept.data_ptr():
                kept.copy_(weights)
            weights.data = kept


class InPlaceShim(PyTorchShim):
    """A PyTorchShim whose weights stay where they are."""

    def finish_update(self, optimizer: Optimizer) -> None:
        """Apply the gradients.

        optimizer (Optimizer): The optimizer.
        """
        with in_place(self._model):
            super().finish_update(optimizer)

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
