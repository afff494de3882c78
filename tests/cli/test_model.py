import os

import pytest
from spacy_gapdner.cli._model import load_pipeline

from spacy_gapdner import GapDNERError

CACHES = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")


@pytest.mark.parametrize(("given", "kept"), [(None, "16"), ("64", "64")])
def test_what_onednn_keeps_is_bounded(model, monkeypatch, given, kept):
    for name in CACHES:
        # so that it is restored even if it was not there
        monkeypatch.setenv(name, given or "")
        if given is None:
            monkeypatch.delenv(name)
    load_pipeline(model)
    assert {os.environ[name] for name in CACHES} == {kept}


def test_a_pipeline_of_an_earlier_version_asks_for_training(tiny, tmp_path):
    tiny.to_disk(tmp_path)
    config = tmp_path / "config.cfg"
    text = config.read_text(encoding="utf8")
    assert "\nthreshold = 0.4\n" in text
    older = text.replace("\nthreshold =", "\ncell_threshold = 0.1\nthreshold =")
    config.write_text(older, encoding="utf8")
    message = r"Error\): unexpected argument: 'cell_threshold'\. .* before 0\.7 .* train it anew\.$"
    with pytest.raises(GapDNERError, match=message):
        load_pipeline(tmp_path)
