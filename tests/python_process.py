"""Python in another process."""

import os
import subprocess
import sys
from pathlib import Path


def run_python(*arguments, **environment):
    """Runs Python in the folder of the tests and returns what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=Path(__file__).parent,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
