"""The tagging schemes: how the entities of a segment are written into a label grid and read back.

A scheme is registered and part of a model's config; pipe and losses know only `TaggingScheme`.
"""

from .cells import LabelledCells
from .gap import MultilabelTagging, SoftmaxTagging
from .neighbours import TOETagging, W2NERTagging
from .scheme import GridLayout, TaggingScheme

__all__ = [
    "GridLayout",
    "LabelledCells",
    "MultilabelTagging",
    "SoftmaxTagging",
    "TOETagging",
    "TaggingScheme",
    "W2NERTagging",
]
