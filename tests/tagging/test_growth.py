import numpy as np
import pytest

from spacy_gapdner.losses import CrossEntropy
from spacy_gapdner.tagging import (
    GridLayout,
    MultilabelTagging,
    SoftmaxTagging,
    TOETagging,
    W2NERTagging,
)
from spacy_gapdner.tagging.growth import map_channels


@pytest.mark.parametrize(
    ("tagging", "expected"),
    [
        # None, Frag, Gap and two types
        (SoftmaxTagging(), [0, 1, 2, 3, 4]),
        (MultilabelTagging(), [0, 1, 2, 3]),
        # two Frags of five, two Gaps, two types
        (MultilabelTagging(per_type=True), [0, 1, 5, 6, 10, 11]),
        # None, NNW and two THW
        (W2NERTagging(), [0, 1, 2, 3]),
        # NNW, PNW, two THW of five, two HTW
        (TOETagging(), [0, 1, 2, 3, 7, 8]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_where_channels_go_from_two_types_to_five(tagging, expected):
    assert map_channels(tagging, 2, 5) == expected


class Shifting(W2NERTagging):
    """Its cells depend on the number of types."""

    def encode(self, entities, labels):
        return super().encode(entities, labels) + np.array([len(labels), 0, 0])


class Silent(W2NERTagging):
    """A label that no entity is written with."""

    def layout(self, n_types):
        return GridLayout(n_types + 3, (1, n_types + 2), (), tuple(range(2, n_types + 2)))


@pytest.mark.parametrize(
    ("scheme", "message"),
    [(Shifting, "writes an entity in other cells"), (Silent, "does not tell what becomes of each")],
)
def test_schemes_that_cannot_grow(scheme, message):
    with pytest.raises(ValueError, match=message):
        map_channels(scheme(CrossEntropy()), 2, 3)
