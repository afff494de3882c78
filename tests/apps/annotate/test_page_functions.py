"""Runs the tests of the page's functions, which need no browser."""

import subprocess
from pathlib import Path

import pytest
from javascript import NODE, needs_node

PATHS = sorted(Path(__file__).parent.glob("*.test.mjs"))


@needs_node
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_functions_of_the_page(path):
    result = subprocess.run([NODE, "--test", path], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
