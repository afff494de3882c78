"""Workarounds for bugs in dependencies. Each links to its bug or reproduces it."""

import multiprocessing
import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import catalogue
import torch
from srsly.msgpack import msgpack_decoders, msgpack_encoders
from thinc.api import Model, NumpyOps
from thinc.types import Floats2d

# The process that built the first model, or a forked one that already uses one thread, and its
# number of threads
_process: int | None = None
_n_threads = 0


def use_one_thread_after_fork() -> None:
    """Make PyTorch use a single thread in processes that are forked from a process with a model,
    such as the workers of `nlp.pipe(n_process=2)` or of gunicorn. Processes that load the model
    themselves keep their threads, as do those that set another number of threads, except for
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


def bound_onednn_caches() -> None:
    """Limit the number of input shapes in oneDNN's caches.

    On a CPU, PyTorch uses oneDNN for LSTMs and bfloat16 products. By default, two caches contain
    1,024 shapes each. Those of bfloat16 products take a megabyte each, although batches of
    sentences rarely have the same shape: https://github.com/pytorch/pytorch/issues/27971. Must be
    called before the first product in bfloat16.

    Sets the environment variables `LRU_CACHE_CAPACITY` and `ONEDNN_PRIMITIVE_CACHE_CAPACITY`,
    which PyTorch and oneDNN read on first use. Existing values are kept.
    """
    # the shapes of a batch of bfloat16 products
    os.environ.setdefault("LRU_CACHE_CAPACITY", "16")
    # all shapes of the BiLSTM, whose lengths are rounded
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "128")


def load_srsly_extensions_once() -> None:
    """Make srsly look up its extensions once instead of in each call.

    srsly searches the entry points of all installed packages and the functions of all registries
    for extensions whenever it reads or writes msgpack. This takes most of the time to read a
    DocBin::

        %timeit srsly.msgpack_loads(srsly.msgpack_dumps({}))
        load_srsly_extensions_once()
        %timeit srsly.msgpack_loads(srsly.msgpack_dumps({}))
    """
    for extensions in (msgpack_encoders, msgpack_decoders):
        if extensions.entry_points:
            for name, extension in extensions.get_all().items():
                extensions.register(name, func=extension)
            extensions.entry_points = False
            extensions.get_all = _cache_names(extensions)


def _cache_names(registry: catalogue.Registry) -> Callable[[], dict[str, Any]]:
    # all registries share one dictionary, which grows with a new extension
    search = registry.get_all
    names = lru_cache(maxsize=1)(lambda size: list(search()))
    return lambda: {name: registry.get(name) for name in names(len(catalogue.REGISTRY))}


class TorchProductOps(NumpyOps):
    """thinc's CPU operations, with matrix products computed by PyTorch.

    thinc uses BLIS, which takes three times as long and is single-threaded
    (https://github.com/explosion/spaCy/pull/2966)::

        x = numpy.ones((2048, 96), dtype="f")
        %timeit NumpyOps().gemm(x, x, trans2=True)
        %timeit TorchProductOps().gemm(x, x, trans2=True)
    """

    def gemm(
        self,
        x: Floats2d,
        y: Floats2d,
        *,
        out: Floats2d | None = None,
        trans1: bool = False,
        trans2: bool = False,
    ) -> Floats2d:
        """RETURNS (Floats2d): The product of two matrices. See `NumpyOps.gemm`."""
        if x.dtype != y.dtype:
            # as NumpyOps, whose error spaCy explains
            raise ValueError(f"Cannot multiply {x.dtype} and {y.dtype}.")
        left, right = torch.from_numpy(x), torch.from_numpy(y)
        into = None if out is None else torch.from_numpy(out)
        product = torch.mm(left.T if trans1 else left, right.T if trans2 else right, out=into)
        return cast(Floats2d, product.numpy())


def multiply_by_torch(model: Model[Any, Any]) -> None:
    """Replace thinc's NumpyOps with `TorchProductOps` in all layers of a model, in place."""
    ops = TorchProductOps()
    for node in model.walk():
        if type(node.ops) is NumpyOps:
            node.ops = ops
