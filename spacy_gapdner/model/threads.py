"""Limit PyTorch's threads in forked processes."""

import multiprocessing
import os

import torch

# In a forked process that has not computed yet, the number of threads of its parent
_inherited: int | None = None


def _remember_threads() -> None:
    global _inherited
    _inherited = torch.get_num_threads()


# not on Windows, where processes cannot be forked
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_remember_threads)


def use_one_thread_after_fork() -> None:
    """Make PyTorch use a single thread in a forked process, such as a worker of
    `nlp.pipe(n_process=2)` or of gunicorn, unless it has set its own number of threads. Workers of
    multiprocessing always use one. In other processes, nothing changes.

    OpenMP's thread pool does not survive a fork, so the process would wait for it forever:
    https://github.com/explosion/spaCy/issues/4667,
    https://github.com/pytorch/pytorch/issues/17199.

    Must be called before a model computes.
    """
    global _inherited
    if _inherited is None:
        return
    if multiprocessing.parent_process() is not None or torch.get_num_threads() == _inherited:
        torch.set_num_threads(1)
    _inherited = None
