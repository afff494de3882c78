import subprocess
import sys

import numpy as np
import pytest

from spacy_gapdner.benchmark import memory
from spacy_gapdner.benchmark.memory import peak_memory, reset_peak, resident_memory

MB = 10**6


def test_peak():
    """It stays when the memory is freed again."""
    reset_peak()
    before = resident_memory()
    block = np.ones(100 * MB, dtype="int8")
    assert resident_memory() >= before + 90 * MB
    del block
    assert peak_memory() >= before + 90 * MB


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot begin anew")
def test_reset():
    block = np.ones(100 * MB, dtype="int8")
    high = peak_memory()
    del block
    reset_peak()
    assert peak_memory() <= high - 90 * MB


def test_a_process_does_not_begin_with_what_its_parent_took():
    block = np.ones(500 * MB, dtype="int8")
    command = f"import runpy; print(runpy.run_path({memory.__file__!r})['peak_memory']())"
    result = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert int(result.stdout) < len(block)
