"""How networks predict: from several threads at once, and in forked processes."""

import os
from typing import Any

import torch
from thinc.api import ArgsKwargs
from torch import nn

# The process that imported PyTorch, or a fork of it that is known to use one thread
_process = os.getpid()


def evaluate(network: nn.Module, inputs: ArgsKwargs) -> Any:
    """Run a network without gradients and without dropout.

    thinc's PyTorchShim does so, too, but then sets the network to training mode, so that dropout
    acts on what another thread predicts at that time.

    network (Module): The network.
    inputs (ArgsKwargs): What it is called with.
    RETURNS (Any): What it returns.
    """
    # without a look at network.training: another thread may be about to set the modules within
    network.eval()
    with torch.no_grad():
        return network(*inputs.args, **inputs.kwargs)


def use_one_thread_in_forks() -> None:
    """Have PyTorch compute with one thread if this process is a fork, as its own data loaders do.

    OpenMP's thread pool does not survive a fork: a worker of `nlp.pipe(n_process=2)` would wait
    for it for ever. To be called before PyTorch computes; only the first call has an effect.
    """
    global _process
    if os.getpid() != _process:
        torch.set_num_threads(1)
        _process = os.getpid()
