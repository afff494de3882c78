"""The labels and their order, colors and keys."""

import json
import re
from pathlib import Path

import pytest

from spacy_gapdner.apps.annotate import guidelines
from spacy_gapdner.apps.annotate.guidelines import Label, read_guidelines
from spacy_gapdner.errors import GapDNERError

CONF = """\
[entities]
# a comment
Finding
\tPain
!Abstract
-----
Drug\tArg:Dose

[relations]
Causes\tArg1:Drug, Arg2:Pain
"""


def names(*args):
    return [label.name for label in read_guidelines(*args)]


def test_labels_json(tmp_path):
    settings = {"color": "#d86000", "key": "z", "description": "It hurts."}
    (tmp_path / "labels.json").write_text(json.dumps({"Pain": settings, "Drug": {}}))
    (tmp_path / "annotation.conf").write_text(CONF)
    pain, drug = read_guidelines(None, [tmp_path / "other", tmp_path])
    assert pain == Label(name="Pain", **settings)
    assert (drug.name, drug.key, drug.description) == ("Drug", "1", "")


def test_names(tmp_path):
    with pytest.raises(GapDNERError, match="Use --labels"):
        read_guidelines(None, [tmp_path])
    with pytest.raises(GapDNERError, match="File not found"):
        read_guidelines("missing.json", [tmp_path])
    (tmp_path / "a.ann").write_bytes(b"T1\tZebra 0 1\ta\r\nT2\tDrug 0 1;3 4\ta b\nA1\tSure T1\n")
    assert names(None, [tmp_path], ["Pain", "Drug"]) == ["Pain", "Drug", "Zebra"]
    (tmp_path / "annotation.conf").write_text(CONF)
    assert names(None, [tmp_path], ["Other"]) == ["Finding", "Pain", "Drug", "Other"]
    assert names(str(tmp_path / "annotation.conf"), [], ["Other"]) == ["Finding", "Pain", "Drug"]
    assert names("A, B,A", [tmp_path]) == ["A", "B"]


def test_labels_without_a_free_key(tmp_path):
    labels = read_guidelines(",".join(f"L{n}" for n in range(30)), [tmp_path])
    # the keys of commands are not used
    keys = list("123456789bfghijklmotuvwx")
    assert [label.key for label in labels] == [*keys, *[None] * 6]
    script = Path(guidelines.__file__).parent / "static" / "js" / "commands.js"
    lists = re.findall(r'keys: (\[".*?\])', script.read_text(encoding="utf-8"))
    used = {key for found in lists for key in json.loads(found) if len(key) == 1}
    assert used == {*guidelines.COMMAND_KEYS}


INVALID = {
    "[]": "valid dictionary",
    "{}": "contains no labels",
    '{"A": {"colour": "red"}}': "A.colour: Extra inputs",
    '{"A": {"color": "url(x)"}}': "Invalid color for A",
    '{"A": {"key": "ab"}}': "A.key: .* at most 1 character",
    '{"A": {"key": "q"}}': "the key 'q' of A is also the key of .* Use another key, such as '1'",
    '{"A": {"key": "1"}, "B": {"key": "1"}}': "the key '1' of A .* such as '2'",
    '{"two words": {}}': "brat does not allow",
}


@pytest.mark.parametrize("labels", INVALID)
def test_invalid_labels(tmp_path, labels):
    (tmp_path / "labels.json").write_text(labels)
    with pytest.raises(GapDNERError, match=INVALID[labels]):
        read_guidelines(None, [tmp_path])
