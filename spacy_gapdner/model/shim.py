"""Call a PyTorch network from thinc, in its shim."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, TypeVar, cast

import torch
from thinc.api import Optimizer, PyTorchShim, Shim
from torch import Tensor

from ..errors import GapDNERError
from .optimizer import Update, update_weights

T = TypeVar("T")


@contextmanager
def _explain_full_memory() -> Iterator[None]:
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise GapDNERError(
            "The memory of the GPU is full. Use smaller batches: lower nlp.batch_size, the batch "
            "size of the training, or max_batch_cells."
        ) from error


class NetworkShim(PyTorchShim):
    """A PyTorchShim that updates all weights at once and in place.

    If `mixed_precision` is True, matrices are multiplied in bfloat16, on a GPU or a CPU. It is a
    setting of the config and not saved.
    """

    mixed_precision = False

    @property
    def network(self) -> Any:
        """RETURNS (Optional[nn.Module]): The network, or None before it is created."""
        return self._model

    @network.setter
    def network(self, network: Any) -> None:
        self._model = network

    def run(self, compute: Callable[[], T]) -> T:
        """Compute something with the network, without gradients and without dropout.

        `PyTorchShim.predict` resets the network to training mode, so dropout affects
        predictions in other threads. Doing this once per call is also slow::

            shim = PyTorchShim(torch.nn.Dropout(0.5).eval())
            shim.predict(ArgsKwargs((torch.ones(2),), {}))
            assert not shim._model.training  # fails
        """
        # unconditionally, because another thread may be changing the mode of the submodules
        self.network.eval()
        with torch.no_grad(), self._context():
            return compute()

    def run_training(
        self, compute: Callable[[], Sequence[Tensor]]
    ) -> tuple[Sequence[Tensor], Callable[[Sequence[Tensor]], None]]:
        """Compute something with the network in training mode. Also returns a function that takes
        the gradients of the results and computes the gradients of all inputs and weights.
        """
        if not self.network.training:
            self.network.train()
        with self._context():
            results = compute()

        def backprop(gradients: Sequence[Tensor]) -> None:
            with _explain_full_memory():
                torch.autograd.backward(list(results), list(gradients))

        return results, backprop

    def copy(self) -> "NetworkShim":
        """Copy the shim and its network. thinc's copies have the same ID, under which optimizers
        store the moments of the weights.
        """
        copied = deepcopy(self)
        with Shim.global_id_lock:
            Shim.global_id += 1
            copied.id = Shim.global_id
        return copied

    @contextmanager
    def _context(self) -> Iterator[None]:
        device = self.device.type
        with _explain_full_memory(), torch.autocast(device, torch.bfloat16, self.mixed_precision):
            yield

    def finish_update(self, optimizer: Optimizer | Update) -> None:
        """Apply the gradients, and remove them.

        thinc replaces each weight with a tensor that wraps an array that wraps the previous tensor.
        This chain grows with every update and is never freed. With 200 weights, a long training
        leaks gigabytes::

            shim = PyTorchShim(torch.nn.Linear(2, 2))
            for _ in range(100_000):
                shim._model(torch.ones(2)).sum().backward()
                shim.finish_update(RAdam(0.001))
            # the process has grown by 150 MB
        """
        named = [(n, w) for n, w in self.network.named_parameters() if w.grad is not None]
        if named and not update_weights(optimizer, [((self.id, n), w) for n, w in named]):
            before = [weights.data for _, weights in named]
            super().finish_update(cast(Optimizer, optimizer))
            with torch.no_grad():
                for (_, weights), kept in zip(named, before, strict=True):
                    if weights.data_ptr() != kept.data_ptr():
                        kept.copy_(weights)
                    weights.data = kept
        # new gradients replace them without adding them up
        for _, weights in named:
            weights.grad = None


def refuse_gradient(gradient: object) -> Any:
    """The backward callback of a prediction."""
    raise ValueError("Predictions have no gradient. Call the model with is_train=True.")
