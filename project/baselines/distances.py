"""Distances between the words of a cell, in buckets that grow with the distance."""

import torch
from torch import Tensor

# Distances of 2**7 tokens and more share the last bucket
_SIZES = 9
N_DISTANCES = 2 * _SIZES - 1


def distance_buckets(n: int, device: torch.device) -> Tensor:
    """The buckets of the distances of all cells, with shape (n, n): 0, 1, 2-3, 4-7, ... words to
    the right, and separately to the left."""
    positions = torch.arange(n, device=device)
    distances = positions[None, :] - positions[:, None]
    # the exponent is the bit length of the distance
    sizes = torch.frexp(distances.abs().float()).exponent.clamp(max=_SIZES - 1)
    return sizes * distances.sign() + _SIZES - 1
