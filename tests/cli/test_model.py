import os

import pytest

from spacy_gapdner.loading import load_model

CACHES = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")


@pytest.mark.parametrize(("given", "kept"), [(None, "16"), ("64", "64")])
def test_what_onednn_keeps_is_bounded(model, monkeypatch, given, kept):
    for name in CACHES:
        # so that it is restored even if it was not there
        monkeypatch.setenv(name, given or "")
        if given is None:
            monkeypatch.delenv(name)
    load_model(model)
    assert {os.environ[name] for name in CACHES} == {kept}
