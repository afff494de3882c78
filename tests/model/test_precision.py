import os

import pytest
import spacy
import torch
from confection import Config
from spacy.util import load_model_from_config

from spacy_gapdner.model.precision import bound_onednn_caches, make_matmul_precision

CACHES = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    before = torch.get_float32_matmul_precision()
    for name in CACHES:
        # so that it is restored even if it was not there
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    yield
    torch.set_float32_matmul_precision(before)


def test_a_config_sets_the_precision_of_the_process(tmp_path):
    block = {"@callbacks": "spacy-gapdner.matmul_precision.v1", "precision": "medium"}
    config = Config({"nlp": {"lang": "en", "before_creation": block}})
    load_model_from_config(config, auto_fill=True).to_disk(tmp_path)
    assert torch.get_float32_matmul_precision() == "medium"
    # so does a pipeline that is loaded
    torch.set_float32_matmul_precision("highest")
    spacy.load(tmp_path)
    assert torch.get_float32_matmul_precision() == "medium"
    with pytest.raises(ValueError, match="'highest', 'high' or 'medium', but it is 'half'"):
        make_matmul_precision("half")


def test_what_is_set_is_kept(monkeypatch):
    monkeypatch.setenv(CACHES[0], "99")
    bound_onednn_caches()
    assert [os.environ[name] for name in CACHES] == ["99", "16"]
