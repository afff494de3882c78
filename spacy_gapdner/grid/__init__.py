"""Encode the entities of a segment in a label grid, and decode them.

A scheme is registered and part of a model's config. The pipe and the losses use only the
`TaggingScheme` protocol.
"""

from .cells import LabeledCells
from .gap_aware import GapAwareTagging
from .scheme import TaggingScheme

__all__ = ["GapAwareTagging", "LabeledCells", "TaggingScheme"]
