"""A kill while a pipeline is saved."""

import os
import subprocess
import sys

import pytest
import spacy
from spacy.training.loop import create_before_to_disk_callback

from spacy_gapdner.formats.saving import make_whole_saving

# saves a pipeline to a folder where there is one, and waits in the middle
SAVING = """
import sys
import spacy
from spacy.language import Language
from spacy_gapdner.formats.saving import make_whole_saving

class Waiting:
    def __call__(self, doc):
        return doc
    def to_disk(self, path, exclude=()):
        print("saving", flush=True)
        sys.stdin.read()

Language.factory("waiting", func=lambda nlp, name: Waiting())
nlp = spacy.blank("de")
nlp.add_pipe("waiting")
nlp = make_whole_saving()(nlp) if sys.argv[2] == "whole" else nlp
nlp.to_disk(sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="kills of POSIX")
@pytest.mark.parametrize("how", ["whole", "spacy"])
def test_a_kill_leaves_the_older_pipeline(tmp_path, how):
    path = tmp_path / "model-last"
    spacy.blank("en").to_disk(path)
    before = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    process = subprocess.Popen(
        [sys.executable, "-c", SAVING, path, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout.readline() == b"saving\n"
    finally:
        process.kill()
        process.communicate()
    after = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    # what is guarded against: spaCy itself writes into the folder
    assert (after == before) == (how == "whole")
    if how == "whole":
        assert spacy.load(path).lang == "en"
        make_whole_saving()(spacy.blank("fr")).to_disk(path)
        assert spacy.load(path).lang == "fr"
        assert list(tmp_path.iterdir()) == [path]


def test_the_callback_is_one_of_spacys_and_acts_once(tmp_path):
    nlp = spacy.blank("en")
    callback = spacy.registry.callbacks.get("spacy-gapdner.whole_saving.v1")()
    assert create_before_to_disk_callback(callback)(nlp) is nlp
    nlp.to_disk(tmp_path / "a")
    assert "to_disk" not in vars(nlp)
    nlp.to_disk(tmp_path / "a", exclude=["vocab"])
    assert spacy.load(tmp_path / "a").lang == "en"
