"""Python in another process, and waiting for processes."""

import os
import subprocess
import sys
import time
from pathlib import Path


def run_python(*arguments, **environment):
    """Runs Python in the folder of the tests and returns what it prints."""
    how = {"cwd": Path(__file__).parent, "env": {**os.environ, **environment}, "timeout": 300}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_until(condition):
    end = time.monotonic() + 200
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
