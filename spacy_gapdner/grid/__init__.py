"""The tagging scheme: how the entities of a segment are written into a label grid and read back.

A scheme is registered and part of a model's config; pipe and losses know only `TaggingScheme`.
"""

from .cells import LabelledCells
from .gap import SoftmaxTagging
from .scheme import GridLayout, TaggingScheme

__all__ = ["GridLayout", "LabelledCells", "SoftmaxTagging", "TaggingScheme"]
