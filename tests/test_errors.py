"""Checks that say what is wrong."""

import math

import numpy as np
import pytest

from spacy_gapdner.errors import GapDNERError, check_probability


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_a_probability_becomes_a_plain_number(value):
    found = check_probability("share", value)
    assert (type(found), found) == (float, value)


@pytest.mark.parametrize("value", [-0.1, 1.5, math.nan, math.inf, "0.5", None, 1j])
def test_no_probability(value):
    with pytest.raises(GapDNERError, match=r"^Invalid share: .*\. Use a number between 0 and 1\.$"):
        check_probability("share", value)
