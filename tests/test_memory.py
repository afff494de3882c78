import subprocess
import sys

import pytest
from spacy.util import registry

from spacy_gapdner import memory
from spacy_gapdner.memory import make_release_memory


def test_releases_at_intervals(monkeypatch):
    calls = []
    monkeypatch.setattr(memory, "_find_trim", lambda: calls.append)
    release = make_release_memory(interval=3)
    for step in range(7):
        release(None, {"step": step, "epoch": 0})
    assert calls == [0, 0, 0]


def test_does_nothing_without_glibc(monkeypatch):
    monkeypatch.setattr(memory, "_find_trim", lambda: None)
    assert make_release_memory()(None, {"step": 0, "epoch": 0}) is None


@pytest.mark.skipif(memory._find_trim() is None, reason="glibc alone has malloc_trim")
def test_gives_memory_back():
    # small pieces between large ones that are freed, in a process of its own
    script = """
from spacy_gapdner.memory import make_release_memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

release = make_release_memory()
pieces = [bytearray(50_000) for _ in range(4000)]
del pieces[:3999]
before = resident()
release(None, {"step": 0, "epoch": 0})
print(before - resident())
"""
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert int(result.stdout) > 50_000_000


def test_interval_must_be_positive():
    with pytest.raises(ValueError, match="interval must be at least 1, but it is 0"):
        make_release_memory(0)


def test_configs_find_it():
    assert registry.callbacks.get("spacy-gapdner.release_memory.v1") is make_release_memory
