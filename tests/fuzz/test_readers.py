"""Readers take whatever comes: a clear error, or every entity in the output or in the report."""

import pytest

from fuzz.cases import READERS, check


@pytest.mark.parametrize("reader", READERS)
def test_nothing_is_lost_and_nothing_breaks(reader):
    for seed in range(6):
        check(reader, seed)
