"""A limit to what oneDNN, with which PyTorch multiplies matrices on a CPU, keeps in memory."""

import os

# Caches of PyTorch and of oneDNN itself. A batch needs some ten shapes at a time.
_CAPACITIES = {"LRU_CACHE_CAPACITY": "16", "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16"}


def limit_onednn_caches() -> None:
    """Have oneDNN keep what it prepared for the last few shapes of matrices alone.

    It would keep this for the last 1,024 shapes. Batches of sentences hardly ever have the same
    shape twice, so that this takes gigabytes and saves no time. The limits are environment
    variables that PyTorch reads at the first such product in a process: they have no effect later,
    and those that the user has set are kept.
    """
    for name, capacity in _CAPACITIES.items():
        os.environ.setdefault(name, capacity)
