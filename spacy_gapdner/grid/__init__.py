"""The tagging scheme: how the entities of a segment are written into a label grid and read back.

A scheme is registered and part of a model's config; pipe and losses know only `TaggingScheme`.
"""

from .cells import LabelledCells
from .gap_aware import GapAwareTagging
from .scheme import GridLayout, TaggingScheme

__all__ = ["GapAwareTagging", "GridLayout", "LabelledCells", "TaggingScheme"]
