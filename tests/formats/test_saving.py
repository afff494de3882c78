"""A stop while a pipeline is saved."""

import pytest
import spacy
from spacy.training.loop import create_before_to_disk_callback


def whole_saving(nlp):
    callback = spacy.registry.callbacks.get("spacy-gapdner.whole_saving.v1")()
    return create_before_to_disk_callback(callback)(nlp)


@pytest.mark.slow
def test_a_stop_leaves_the_older_pipeline(tmp_path):
    def stop(path, exclude):
        raise KeyboardInterrupt

    path = tmp_path / "model-last"
    spacy.blank("en").to_disk(path)
    before = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    nlp = spacy.blank("de")
    nlp.add_pipe("sentencizer").to_disk = stop
    with pytest.raises(KeyboardInterrupt):
        whole_saving(nlp).to_disk(path)
    assert {p: p.read_bytes() for p in path.rglob("*") if p.is_file()} == before
    whole_saving(spacy.blank("fr")).to_disk(path)
    assert spacy.load(path).lang == "fr"
    assert list(tmp_path.iterdir()) == [path]


def test_the_callback_acts_once(tmp_path):
    nlp = whole_saving(spacy.blank("en"))
    nlp.to_disk(tmp_path / "a")
    assert "to_disk" not in vars(nlp)
    nlp.to_disk(tmp_path / "a", exclude=["vocab"])
    assert spacy.load(tmp_path / "a").lang == "en"
