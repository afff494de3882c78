"""Names of files, as the file system takes them, and of entities."""

from itertools import islice

import pytest

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, Report, blank_pipeline, read_records
from spacy_gapdner.formats.names import free_names
from spacy_gapdner.formats.registry import get_writable

NLP = blank_pipeline("en")


def write(names, path, file_format):
    docs = [NLP(name) for name in names]
    for doc in docs:
        doc.user_data[DOC_NAME] = doc.text
    return get_writable(file_format).write(docs, path)


def test_free_names():
    assert [*islice(free_names({"T1", "T3", "x"}), 3)] == ["T2", "T4", "T5"]


@pytest.mark.parametrize("file_format", ["brat", "pubannotation"])
@pytest.mark.parametrize("name", ["d" * 300, "folder/" + "d" * 300, "d" * 300 + "/x"])
def test_a_name_too_long_for_a_file_is_told(tmp_path, file_format, name):
    with pytest.raises(GapDNERError, match=r"document '.{83}' cannot name a file: File name too"):
        write(["a", name], tmp_path / "out", file_format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("names", [["a", "a{}/b"], ["a{}/b", "a"]])
@pytest.mark.parametrize(("file_format", "ending"), [("brat", ".txt"), ("pubannotation", ".json")])
def test_a_file_where_another_document_needs_a_folder_is_told(tmp_path, file_format, ending, names):
    with pytest.raises(GapDNERError, match=r"The document 'a.* cannot name a file: "):
        write([name.format(ending) for name in names], tmp_path / "out", file_format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file_format", ["brat", "pubannotation"])
def test_no_file_is_hidden(tmp_path, file_format):
    names = [".0", "a/.b/c", "...", "_.0", "a.b"]
    write(names, tmp_path / "out", file_format)
    suffix = {"brat": ".txt", "pubannotation": ".json"}[file_format]
    files = [path.relative_to(tmp_path / "out") for path in tmp_path.rglob(f"*{suffix}")]
    found = {path.as_posix().removesuffix(suffix) for path in files}
    assert found == {"_.0", "a/_.b/c", "_...", "_.0-2", "a.b"}
    report = Report()
    records = list(read_records(tmp_path / "out", report, file_format))
    assert sorted(record.text for record in records) == sorted(names)


def test_another_error_of_the_system_keeps_its_own_message(tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        write(["a"], tmp_path / "out", "brat")
