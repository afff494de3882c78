"""Distances between the words of a cell, in buckets that grow with the distance."""

import torch
from torch import Tensor

# Distances of 2**7 tokens and more share the last bucket
_SIZES = 9
N_DISTANCES = 2 * _SIZES - 1


def distance_buckets(n: int, device: torch.device) -> Tensor:
    """Compute the buckets of the distances of all cells: 0, 1, 2-3, 4-7, ... words to the right,
    and separately to the left.

    n (int): Number of words.
    device (torch.device): Device of the result.
    RETURNS (Tensor): Numbers below `N_DISTANCES`.
        *Shape:* `(n, n)`
    """
    positions = torch.arange(n, device=device)
    distances = positions[None, :] - positions[:, None]
    # the exponent is the bit length of the distance
    sizes = torch.frexp(distances.abs().float()).exponent.clamp(max=_SIZES - 1)
    return sizes * distances.sign() + _SIZES - 1
