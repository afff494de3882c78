"""Readers take whatever comes: a clear error, or every entity in the output or in the report."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.cases import READERS, check

pytestmark = pytest.mark.skipif(os.name == "nt", reason="named pipes and alarms of POSIX")


@pytest.mark.parametrize("reader", READERS)
def test_nothing_is_lost_and_nothing_breaks(reader):
    @settings(max_examples=int(os.environ.get("FUZZ_CASES", 60)), derandomize=True, database=None)
    @given(seed=st.integers(0, 10**9))
    def run(seed):
        check(reader, seed)

    run()
