"""Attention in a segment with weights that can be told by hand."""

import numpy as np
import spacy
from spacy.tokens import Doc

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.analysis.attention import AttentionReport, CellLabel, SegmentAttention
from spacy_gapdner.grid import SoftmaxTagging
from spacy_gapdner.model.attention_maps import AttentionMaps
from spacy_gapdner.segments import Segment

WORDS = ["severe", "joint", "and", "arm", "pain"]
FRAG, GAP = CellLabel(1, "Frag", False, 0.9), CellLabel(2, "Gap", False, 0.8)
LABELS = {
    (0, 1): [FRAG],
    (2, 3): [GAP],
    (4, 4): [FRAG, CellLabel(3, "ADE", True, 0.625)],
}


def make_segment(words=WORDS, start=10, cells=((0, 1),), labels=LABELS, linear=True, cross=True):
    """All weights differ: cell (i, j) gives its row 1, 2, 3, ... parts, and then its column."""
    n = len(words)
    parts = np.tile(np.arange(1.0, 2 * n + 1), (n, n, 1))
    i, j = np.indices((n, n))
    parts[i, j, n + i] = 0
    maps = AttentionMaps(
        Segment(start, start + n),
        tuple(words),
        np.zeros((n, n, 3)),
        np.log([np.arange(1.0, n + 1), np.ones(n)]) if linear else None,
        parts / parts.sum(axis=-1, keepdims=True) if cross else None,
    )
    return SegmentAttention(maps, labels, cells)


def make_report(*segments, text=" ".join(WORDS)):
    doc = Doc(spacy.blank("en").vocab, words=text.split(" "))
    set_entities(doc, [Entity("ADE", ((0, 2), (4, 5)), 0.875), Entity("SIGN", ((3, 5),))])
    return AttentionReport(doc, get_entities(doc), segments, SoftmaxTagging())
