"""PyTorch networks under thinc; averages of weights are tested with the pipe's transformer."""

import os

from spacy_gapdner.model.shim import bound_onednn_caches


def test_what_is_set_of_onednn_is_kept(monkeypatch):
    names = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")
    monkeypatch.setenv(names[0], "99")
    bound_onednn_caches()
    assert [os.environ[name] for name in names] == ["99", "16"]
