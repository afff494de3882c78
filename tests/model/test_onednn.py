import os
import subprocess
import sys

import pytest

from spacy_gapdner.model.onednn import limit_onednn_caches

NAMES = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")
# how many bytes products of 400 shapes leave behind; more than 500 MB without a limit on a CPU
# that multiplies in bfloat16
PRODUCTS = """
from spacy_gapdner.model.onednn import limit_onednn_caches
limit_onednn_caches()
import torch

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

torch.set_num_threads(1)
torch.set_float32_matmul_precision("medium")
layer, words = torch.nn.Linear(384, 768), torch.rand(400, 384)
layer(words).sum().backward()
before = resident()
for n in range(1, 400):
    layer(words[:n]).sum().backward()
print(resident() - before)
"""


@pytest.fixture
def unset(monkeypatch):
    for name in NAMES:
        # so that it is restored even if it was not there
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_limits_are_set_and_the_user_s_own_kept(unset):
    os.environ[NAMES[0]] = "99"
    limit_onednn_caches()
    assert [os.environ[name] for name in NAMES] == ["99", "16"]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux alone tells it there")
def test_products_of_many_shapes_leave_little_behind(unset):
    result = subprocess.run(
        [sys.executable, "-c", PRODUCTS], capture_output=True, text=True, check=True
    )
    assert int(result.stdout) < 100 * 2**20
