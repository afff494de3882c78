import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from project.benchmark import memory
from project.benchmark.memory import peak_memory, reset_peak
from spacy_gapdner.errors import GapDNERError

MB = 10**6
linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot begin anew")


@linux
def test_the_peak_stays_until_it_begins_anew():
    reset_peak()
    before = peak_memory()
    block = np.ones(100 * MB, dtype="int8")
    del block
    high = peak_memory()
    assert high >= before + 90 * MB
    reset_peak()
    assert peak_memory() <= high - 90 * MB


@linux
def test_a_process_does_not_begin_with_what_its_parent_took():
    block = np.ones(1000 * MB, dtype="int8")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        peak = executor.submit(peak_memory).result()
    assert peak < len(block)


def test_a_process_that_is_ended(monkeypatch):
    # a task that ends the process without a word, as a kernel does
    monkeypatch.setattr(memory, "_work", end)
    with pytest.raises(GapDNERError, match="of training was ended from outside"):
        memory.measure_memory(memory.Subject("model", "data", 0, 1, -1), "training")


def end(subject, task):
    os._exit(9)
