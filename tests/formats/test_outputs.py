"""Files and folders that are written whole or not at all, and over no input."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.formats.outputs import (
    check_output,
    filling,
    name_files,
    replacing,
    replacing_folder,
    with_ending,
)


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("writer", [replacing, filling, replacing_folder])
def test_all_or_nothing(tmp_path, writer, fails):
    path = tmp_path / "out.x"
    file = path if writer is replacing else path / "sub" / "a"
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text("old")
    (tmp_path / "other").write_text("kept")
    with suppress(KeyError), writer(path) as temporary:
        new = temporary if writer is replacing else temporary / "sub" / "a"
        new.parent.mkdir(exist_ok=True)
        new.write_text("new")
        assert file.read_text() == "old"
        if fails:
            raise KeyError
    assert file.read_text() == ("old" if fails else "new")
    assert file.stat().st_mode == (tmp_path / "other").stat().st_mode
    assert {p.name for p in tmp_path.iterdir()} == {"out.x", "other"}


def test_filling_keeps_other_files_and_replacing_does_not(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text("old")
    with filling(tmp_path / "a") as folder:
        (folder / "new").write_text("")
    with replacing_folder(tmp_path / "b") as folder:
        (folder / "new").write_text("")
    assert {p.name for p in (tmp_path / "a").iterdir()} == {"old", "new"}
    assert {p.name for p in (tmp_path / "b").iterdir()} == {"new"}


@pytest.mark.parametrize("taken", ["b/x", "c"])
def test_a_folder_with_a_name_taken_stays_as_it_was(tmp_path, taken):
    # a folder where a file would be, and a file where a folder would be
    (tmp_path / "out" / ("" if taken == "c" else taken)).mkdir(parents=True)
    if taken == "c":
        (tmp_path / "out/c").write_text("old")

    def fill():
        with filling(tmp_path / "out") as folder:
            for name in ("a", "b/x", "c/y"):
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text("new")

    with pytest.raises(GapDNERError, match="is in the way"):
        fill()
    assert not (tmp_path / "out/a").exists()


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
def test_devices_are_written_not_replaced():
    check_output(Path(os.devnull), {})
    with replacing(Path(os.devnull)) as path:
        path.write_text("gone")
    assert path.is_char_device()


def test_outputs_touch_no_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for name in ("file", "other"):
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    inputs = {"data": Path("data"), "text": tmp_path / "file", "model": "en_core", "none": None}
    check_output(tmp_path / "new" / "y.json", inputs)
    for path, message in {
        "data/x.json": "lies in the data",
        "file": "is the text",
        "link": "is the text",
        "data": "is a folder",
        "other/x": "is no folder",
    }.items():
        with pytest.raises(GapDNERError, match=message):
            check_output(Path(path), inputs)
    with pytest.raises(GapDNERError, match="holds the data"):
        check_output(tmp_path, inputs, is_file=False)


def test_each_document_has_a_visible_file_of_its_own_within_the_folder(tmp_path):
    names = ["a.b", ".0", "a/.b/c", "...", "_.0", "../x", "/x", "x", "x-2", "..", None, "a\0b"]
    docs = [Doc(Vocab(), user_data={DOC_NAME: name}) for name in names]
    found = []
    for _, stem in name_files(docs, tmp_path):
        with_ending(stem, ".txt").write_text("")
        found.append(stem.relative_to(tmp_path).as_posix())
    first = ["a.b", "_.0", "a/_.b/c", "_...", "_.0-2", "x", "x-2", "x-3", "x-2-2"]
    assert found == [*first, "doc000010", "doc000011", "a b"]
    assert len(list(tmp_path.rglob("*.txt"))) == len(names)
