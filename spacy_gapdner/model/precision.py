"""How precisely float32 matrices are multiplied: a setting of PyTorch that a config can hold."""

import os
from collections.abc import Callable

import torch
from spacy.language import Language

from ..errors import GapDNERError

PRECISIONS = ("highest", "high", "medium")

# For how many shapes of inputs oneDNN, which computes LSTMs and products in bfloat16 on a CPU,
# keeps what it has prepared. It would keep 1,024, each of up to some megabytes, while batches of
# sentences hardly ever have the same shape twice. A batch needs some ten shapes at a time.
_ONEDNN_CACHES = {"LRU_CACHE_CAPACITY": "16", "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16"}


def make_matmul_precision(
    precision: str = "highest",
) -> Callable[[type[Language]], type[Language]]:
    """Create a callback for `[nlp.before_creation]` that sets the precision of the process.

    Registered as `spacy-gapdner.matmul_precision.v1`. Weights and results stay float32. The
    setting holds for all of PyTorch in the process, thus also for the transformer.

    precision (str): "highest" multiplies in float32, "high" in TF32 or two bfloat16 parts where
        the hardware can, "medium" in bfloat16 where it can (GPUs since Ampere, CPUs with
        AVX512-BF16 or AMX); see `torch.set_float32_matmul_precision`.
    RETURNS (Callable[[type[Language]], type[Language]]): The callback.
    RAISES (GapDNERError): If there is no such precision.
    """
    if precision not in PRECISIONS:
        raise GapDNERError(
            f"precision must be 'highest', 'high' or 'medium', but it is {precision!r}."
        )

    def set_precision(language: type[Language]) -> type[Language]:
        torch.set_float32_matmul_precision(precision)
        return language

    return set_precision


def bound_onednn_caches() -> None:
    """Keep what oneDNN prepares for inputs of some shapes on a CPU, not of a thousand: a long
    training would grow by gigabytes.

    Sets `LRU_CACHE_CAPACITY` and `ONEDNN_PRIMITIVE_CACHE_CAPACITY` in the environment, which
    PyTorch and oneDNN read when they first need them; those that are set are kept.
    """
    for name, capacity in _ONEDNN_CACHES.items():
        os.environ.setdefault(name, capacity)
