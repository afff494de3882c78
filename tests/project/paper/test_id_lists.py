import pytest

from project.paper import id_lists
from project.paper.dai import find_documents
from project.paper.id_lists import hash_names, read_ids
from spacy_gapdner.errors import GapDNERError


def test_read(write, report, monkeypatch):
    monkeypatch.setitem(id_lists._PUBLISHED, "cadec/dev", (2, hash_names(["a.2", "b.1"])))
    folder = write({"dev.id": " a.2 \r\nb.1\r\n\r\n"})
    for path in (folder, folder / "dev.id"):
        assert read_ids(path, "dev.id", "cadec", "dev", report) == {"a.2", "b.1"}
    assert report.issues == []


def test_another_list(write, report):
    path = write({"my.list": "a.txt\n"}) / "my.list"
    assert read_ids(path, "dev.list", "share13", "dev", report) == {"a.txt"}
    (issue,) = report.issues
    assert "1 names, but not the 19 of the published dev list of share13" in issue.message


def test_no_list(write, report):
    for files, message in (
        ({"dev.id": "a"}, r"no file .*train\.id"),
        ({"train.id": " \n"}, "empty"),
    ):
        with pytest.raises(GapDNERError, match=message):
            read_ids(write(files), "train.id", "cadec", "train", report)


def test_two_files_of_one_document_are_told(write):
    folder = write({"a.txt": "x", "b.ann": "y"})
    assert find_documents(folder, (".txt",), ".txt") == {"a": folder / "a.txt"}
    write({"sub/a.txt": "x"})
    with pytest.raises(GapDNERError, match=r"a\.txt and .*a\.txt are of the same document"):
        find_documents(folder, (".txt",), ".txt")
