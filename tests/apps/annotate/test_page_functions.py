"""Runs the tests of the page's functions, which need no browser."""

from pathlib import Path

import pytest
from javascript import needs_node, run_tests

PATHS = sorted(Path(__file__).parent.glob("*.test.mjs"))


@needs_node
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_functions_of_the_page(path):
    run_tests(path)
