"""Node, which runs the functions of pages without a browser. `.ci/run` installs it."""

import shutil
import subprocess

import pytest

NODE = shutil.which("node")
# only the pages need it, so README's test command does not require it; skips fail in .ci/run
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")


def run_tests(path):
    result = subprocess.run([NODE, "--test", path], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
