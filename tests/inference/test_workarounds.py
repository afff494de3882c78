"""Nothing outside a pipeline changes, except by `apply_workarounds`."""

import os
import sys

import catalogue
import numpy
import pytest
import srsly
from python_process import run_python
from srsly.msgpack import msgpack_decoders

from spacy_gapdner import apply_workarounds

UNCHANGED = """
import os, signal, sys, torch, warnings
import spacy, spacy_transformers
from spacy.training import Example
from spacy_transformers.layers.hf_shim import HFShim
from srsly.msgpack import msgpack_decoders, msgpack_encoders
from thinc.api import NumpyOps, get_current_ops

def snapshot():
    registries = (msgpack_encoders, msgpack_decoders)
    return {
        "environment": dict(os.environ),
        "registries": [(r.entry_points, r.get_all.__func__) for r in registries],
        "threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "operations": (type(get_current_ops()), NumpyOps.gemm),
        "defaults": repr(HFShim.__init__.__defaults__),
        "precision": (torch.get_default_dtype(), torch.get_float32_matmul_precision()),
        "filters": list(warnings.filters),
        "signals": [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)],
    }

before = snapshot()

def check(step):
    assert snapshot() == before, step

from spacy_gapdner import Entity, set_entities
check("import")
nlp = spacy.blank("en")
nlp.add_pipe("gapdner", config={"model": {"mixed_precision": True}})
get_spans = {"@span_getters": "spacy-gapdner.segment_spans.v1", "max_length": 8, "stride": 8}
architecture = {"@architectures": "spacy-gapdner.TransformerModel.v1", "name": "not read"}
model = {"model": {**architecture, "get_spans": get_spans}}
spacy.blank("en").add_pipe("transformer", config=model)
check("add_pipe")
gold = nlp.make_doc("severe joint and back pain")
set_entities(gold, [Entity("ADE", ((0, 2), (4, 5)))])
example = Example(nlp.make_doc(gold.text), gold)
nlp.initialize(lambda: [example])
check("initialize")
nlp.update([example])
check("update")
nlp.to_disk(sys.argv[1])
nlp = spacy.load(sys.argv[1])
check("load")
nlp(gold.text)
check("prediction")
"""
SHAPES = """
import torch
from spacy_gapdner import apply_workarounds

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

apply_workarounds(bf16=True)
lstm = torch.nn.LSTM(96, 96, bidirectional=True, batch_first=True)
with torch.no_grad():
    for n in range(600):
        lstm(torch.zeros(n // 40 + 1, n % 40 + 1, 96))
        if n == 50:
            before = resident()
print(resident() - before)
"""


def test_a_pipeline_changes_nothing_outside_it(tmp_path):
    run_python("-c", UNCHANGED, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_shapes():
    # 200 MB without the limit
    assert float(run_python("-c", SHAPES)) < 50


def test_user_limits_are_kept(monkeypatch):
    names = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")
    monkeypatch.setenv(names[0], "99")
    # set and deleted, so that it is restored
    monkeypatch.setenv(names[1], "1")
    monkeypatch.delenv(names[1])
    apply_workarounds(bf16=True)
    assert [os.environ[name] for name in names] == ["99", "128"]


class Unsearchable(dict):
    def copy(self):
        raise AssertionError


def test_extensions_of_srsly_are_not_searched_in_each_call(monkeypatch):
    apply_workarounds()
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
