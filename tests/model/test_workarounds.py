"""Each test fails without its workaround. Workers that wait for threads are tested in
tests/pipe/test_processes.py."""

import os
import sys

import catalogue
import numpy
import pytest
import srsly
from python_process import run_python
from srsly.msgpack import msgpack_decoders
from thinc.api import NumpyOps
from tiny_pipeline import make_nlp

from spacy_gapdner.model import workarounds as upstream_bugs
from spacy_gapdner.model.workarounds import TorchProductOps

FORKS = """
import multiprocessing, os, torch
from tiny_pipeline import annotate, make_nlp

def count_threads():
    annotate(nlp, "fever")
    return torch.get_num_threads()

def load_and_count_threads():
    global nlp
    nlp = make_nlp()
    torch.set_num_threads(2)
    return count_threads()

def run_in_worker(function):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.apply(function), flush=True)

run_in_worker(load_and_count_threads)
nlp = make_nlp()
torch.set_num_threads(2)
run_in_worker(count_threads)
child = os.fork()
if child == 0:
    print(count_threads(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(count_threads())
"""
SHAPES = """
import torch
from spacy_gapdner.model.workarounds import bound_onednn_caches

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

bound_onednn_caches()
lstm = torch.nn.LSTM(96, 96, bidirectional=True, batch_first=True)
with torch.no_grad():
    for n in range(600):
        lstm(torch.zeros(n // 40 + 1, n % 40 + 1, 96))
        if n == 50:
            before = resident()
print(resident() - before)
"""


@pytest.mark.slow
def test_forked_processes_with_the_model_of_their_parent_use_one_thread():
    # a worker with its own model, a worker, a process that may have set its own number, and the
    # parent
    assert run_python("-c", FORKS).split() == ["2", "1", "2", "2"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_shapes():
    # 200 MB without the limit
    assert float(run_python("-c", SHAPES)) < 50


def test_user_limits_are_kept(monkeypatch):
    names = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")
    monkeypatch.setenv(names[0], "99")
    upstream_bugs.bound_onednn_caches()
    assert [os.environ[name] for name in names] == ["99", "128"]


class Unsearchable(dict):
    def copy(self):
        raise AssertionError


def test_extensions_of_srsly_are_not_searched_in_each_call(monkeypatch):
    upstream_bugs.load_srsly_extensions_once()
    data = srsly.msgpack_dumps({"n": numpy.ones(2)})
    assert srsly.msgpack_loads(data)["n"].sum() == 2
    with monkeypatch.context() as patch:
        patch.setattr(catalogue, "AVAILABLE_ENTRY_POINTS", None)
        patch.setattr(catalogue, "REGISTRY", Unsearchable(catalogue.REGISTRY))
        assert srsly.msgpack_loads(data)["n"].sum() == 2
    # new extensions are found
    monkeypatch.setattr(catalogue, "REGISTRY", dict(catalogue.REGISTRY))
    for found in (1, 2):
        msgpack_decoders.register("found", func=lambda obj, chain, found=found: found)
        assert srsly.msgpack_loads(srsly.msgpack_dumps({})) == found


@pytest.mark.parametrize("trans1", [False, True])
@pytest.mark.parametrize("trans2", [False, True])
# also without words
@pytest.mark.parametrize("n", [5, 0])
def test_products_match_thinc(trans1, trans2, n):
    x = numpy.random.rand(*((5, n) if trans1 else (n, 5))).astype("f")
    y, into = numpy.random.rand(5, 5).astype("f"), numpy.zeros((n, 5), dtype="f")
    expected = NumpyOps().gemm(x, y, trans1=trans1, trans2=trans2)
    for out in (into, None):
        found = TorchProductOps().gemm(x, y, out=out, trans1=trans1, trans2=trans2)
        assert numpy.allclose(found, expected)
    assert numpy.array_equal(into, found)
    with pytest.raises(ValueError, match="Cannot multiply float64 and float32"):
        TorchProductOps().gemm(x.astype("d"), y)


def test_word_representations_use_products_of_torch():
    tok2vec = make_nlp().get_pipe("gapdner").model.get_ref("tok2vec")
    assert {type(node.ops) for node in tok2vec.walk()} == {TorchProductOps}
