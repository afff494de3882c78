import pytest

from project.paper import id_lists
from project.paper.id_lists import hash_names, map_names, read_ids
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
    with pytest.raises(GapDNERError, match=r"split of cadec needs .* --ids with train\.id of git"):
        read_ids(None, "train.id", "cadec", "train", report)
    with pytest.raises(GapDNERError, match=r"no file .*train\.id"):
        read_ids(write({"dev.id": "a"}), "train.id", "cadec", "train", report)
    with pytest.raises(GapDNERError, match=r"dev\.id is empty"):
        read_ids(write({"dev.id": " \n"}), "dev.id", "cadec", "dev", report)


def test_two_files_of_one_document_are_told(tmp_path):
    files = [tmp_path / "a.txt", tmp_path / "sub" / "a.txt"]
    assert map_names(files[:1], ".txt") == {"a": files[0]}
    with pytest.raises(GapDNERError, match=r"a\.txt and .*a\.txt are of the same document"):
        map_names(files, ".txt")
