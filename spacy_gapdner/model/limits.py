"""Sizes that no memory holds: refused before anything of them is allocated."""

import math
from collections.abc import Callable

import torch
from torch import nn

from ..errors import GapDNERError

# Weights of a network; as float32, they take 4 GB
MAX_WEIGHTS = 2**30
# Channels of a grid
MAX_CHANNELS = 2**14
# Words of a segment: a grid of so many takes 8 GB for each of the network's steps, at the default
# width
MAX_WORDS = 2**12


def check_weights(make_network: Callable[[], nn.Module]) -> None:
    """Refuse a network that is too large for any memory.

    make_network (Callable[[], nn.Module]): Makes it.
    RAISES (GapDNERError): If it would have more than `MAX_WEIGHTS`.
    """
    try:
        with torch.device("meta"):
            n_weights: float = sum(weights.numel() for weights in make_network().parameters())
    except (RuntimeError, TypeError, OverflowError) as error:
        # anything but a layer of more weights than can be counted: to make the network tells
        if "overflow" not in str(error).lower():
            return
        n_weights = math.inf
    if n_weights > MAX_WEIGHTS:
        raise GapDNERError(
            f"The model would have {n_weights:.3g} weights besides its encoder, and at most "
            f"{MAX_WEIGHTS:.3g} are allowed. Lower the widths in its settings."
        )


def check_channels(n_channels: int) -> None:
    """Refuse grids with too many channels.

    n_channels (int): Number of the grid's channels.
    RAISES (GapDNERError): If there are more than `MAX_CHANNELS`.
    """
    if n_channels > MAX_CHANNELS:
        raise GapDNERError(
            f"The model's grid would have {n_channels} channels, and at most {MAX_CHANNELS} are "
            "allowed. Check the entity types: there is at least a channel for each."
        )


def check_words(n_words: int) -> None:
    """Refuse a segment whose grid is too large for any memory.

    n_words (int): The segment's length.
    RAISES (GapDNERError): If it has more than `MAX_WORDS`.
    """
    if n_words > MAX_WORDS:
        raise GapDNERError(
            f"A segment of {n_words} words has too large a grid: at most {MAX_WORDS} words are "
            "allowed. Lower max_length of the pipe, so that long sentences become windows."
        )
