"""Where the labels come from."""

import json

import pytest

from spacy_gapdner.annotate.guidelines import Label, read_guidelines
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


def names(labels):
    return [label.name for label in labels]


def test_labels_json(tmp_path):
    labels = {
        "Pain": {
            "color": "#d86000",
            "dark": "orange",
            "key": "p",
            "description": "It hurts.",
        },
        "Drug": {},
    }
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    (tmp_path / "annotation.conf").write_text(CONF)
    pain, drug = read_guidelines(None, [tmp_path / "other", tmp_path])
    assert pain == Label("Pain", "#d86000", "p", "It hurts.", "orange")
    assert (drug.name, drug.key, drug.description) == ("Drug", "1", "")


def test_annotation_conf(tmp_path):
    (tmp_path / "annotation.conf").write_text(CONF)
    assert names(read_guidelines(None, [tmp_path], ["Other"])) == ["Finding", "Pain", "Drug"]
    assert names(read_guidelines("A, B,A", [tmp_path])) == ["A", "B"]


def test_labels_of_the_model_and_of_the_files(tmp_path):
    (tmp_path / "a.ann").write_bytes(b"T1\tZebra 0 1\ta\r\nT2\tDrug 0 1;3 4\ta b\nA1\tSure T1\n")
    labels = read_guidelines(None, [tmp_path], ["Pain", "Drug"])
    assert names(labels) == ["Pain", "Drug", "Zebra"]
    assert [label.key for label in labels] == ["1", "2", "3"]


def test_keys_end_with_the_keyboard(tmp_path):
    labels = read_guidelines(",".join(f"L{n}" for n in range(30)), [tmp_path])
    keys = [label.key for label in labels if label.key]
    assert len(set(keys)) == len(keys) == 25
    # letters of commands
    assert not set("acdnpqrszy").intersection(keys)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "must contain an object"),
        ({}, "contains no label"),
        ({"A": "red"}, "A must be an object with"),
        ({"A": {"colour": "red"}}, "A must be an object with"),
        ({"A": {"color": "url(x)"}}, "Invalid color for A"),
        ({"A": {"key": "ab"}}, "single character"),
        ({"two words": {}}, "brat does not allow"),
    ],
)
def test_what_is_no_guideline(tmp_path, labels, message):
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    with pytest.raises(GapDNERError, match=message):
        read_guidelines(None, [tmp_path])


def test_a_folder_without_any(tmp_path):
    with pytest.raises(GapDNERError, match="Give labels, such as"):
        read_guidelines(None, [tmp_path])
    with pytest.raises(GapDNERError, match="no file"):
        read_guidelines("missing.json", [tmp_path])
