"""Node, which runs the functions of pages without a browser. `.ci/run` installs it."""

import shutil

import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")
