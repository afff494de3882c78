"""PyTorch's threads in forked processes."""

import multiprocessing
import os

import torch

# The process that built the first model, or a forked one that already uses one thread, and its
# number of threads
_process: int | None = None
_n_threads = 0


def use_one_thread_after_fork() -> None:
    """Make PyTorch use a single thread in processes that are forked from a process with a model,
    such as the workers of `nlp.pipe(n_process=2)` or of gunicorn. Processes that load the model
    themselves keep their threads, as do processes that set another number of threads, except for
    workers of multiprocessing.

    OpenMP's thread pool does not survive a fork, so the process would wait for it forever:
    https://github.com/explosion/spaCy/issues/4667,
    https://github.com/pytorch/pytorch/issues/17199.

    Must be called when a model is built, and before it computes.
    """
    global _process, _n_threads
    if _process is not None and os.getpid() != _process:
        has_own_number = torch.get_num_threads() != _n_threads
        if multiprocessing.parent_process() is not None or not has_own_number:
            torch.set_num_threads(1)
    _process, _n_threads = os.getpid(), torch.get_num_threads()
