"""How far the column's word lies from the row's, in buckets that grow with the distance."""

import torch
from torch import Tensor

# Distances of up to 2**7 tokens have buckets of their own size, longer ones share the last.
_SIZES = 9
N_DISTANCES = 2 * _SIZES - 1


def distance_buckets(n: int, device: torch.device) -> Tensor:
    """Number the distances of all cells.

    n (int): Number of words.
    device (torch.device): Where to.
    RETURNS (Tensor): For each cell a number below `N_DISTANCES`: 0, 1, 2-3, 4-7, ... words to
        the right or, apart from these, to the left.
        *Shape:* `(n, n)`
    """
    positions = torch.arange(n, device=device)
    distances = positions[None, :] - positions[:, None]
    # 0, 1, 2-3, 4-7, ...: the bit length of the distance, with its sign
    sizes = torch.frexp(distances.abs().float()).exponent.clamp(max=_SIZES - 1)
    return sizes * distances.sign() + _SIZES - 1
