import os
import subprocess
import sys

import pytest
import spacy
import torch
from confection import Config
from spacy.lang.en import English
from spacy.util import load_model_from_config, registry

from spacy_gapdner.model.precision import bound_onednn_caches, make_matmul_precision

CACHES = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")
# how many megabytes products of 400 shapes leave behind
PRODUCTS = """
import sys
import torch
from spacy_gapdner.model.precision import bound_onednn_caches

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

torch.set_num_threads(1)
torch.set_float32_matmul_precision("medium")
if sys.argv[1] == "ours":
    bound_onednn_caches()
layer, words = torch.nn.Linear(384, 768), torch.rand(400, 384)
layer(words).sum().backward()
before = resident()
for n in range(1, 400):
    layer(words[:n]).sum().backward()
print((resident() - before) // 2**20)
"""


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    before = torch.get_float32_matmul_precision()
    for name in CACHES:
        # so that it is restored even if it was not there
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    yield
    torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize("precision", ["medium", "high", "highest"])
def test_a_config_sets_the_precision_of_the_process(precision, tmp_path):
    block = {"@callbacks": "spacy-gapdner.matmul_precision.v1", "precision": precision}
    nlp = load_model_from_config(
        Config({"nlp": {"lang": "en", "before_creation": block}}), auto_fill=True
    )
    assert torch.get_float32_matmul_precision() == precision
    # so does a pipeline that is loaded
    nlp.to_disk(tmp_path / "model")
    torch.set_float32_matmul_precision("highest")
    spacy.load(tmp_path / "model")
    assert torch.get_float32_matmul_precision() == precision


def test_the_class_is_passed_on():
    assert registry.callbacks.get("spacy-gapdner.matmul_precision.v1") is make_matmul_precision
    assert make_matmul_precision()(English) is English


def test_unknown_precision():
    with pytest.raises(ValueError, match="'highest', 'high' or 'medium', but it is 'half'"):
        make_matmul_precision("half")


def test_what_is_set_is_kept(monkeypatch):
    monkeypatch.setenv(CACHES[0], "99")
    bound_onednn_caches()
    assert [os.environ[name] for name in CACHES] == ["99", "16"]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux alone tells it there")
def test_products_of_many_shapes_leave_little_behind():
    unbounded, bounded = (
        int(subprocess.check_output([sys.executable, "-c", PRODUCTS, way], text=True))
        for way in ("plain", "ours")
    )
    if unbounded < 300:
        pytest.skip("this CPU does not multiply in bfloat16")
    assert bounded < 100
