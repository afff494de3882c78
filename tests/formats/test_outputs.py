"""Files and folders are written completely or not at all, and never over an input."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, Report
from spacy_gapdner.formats.outputs import check_output, filling, replacing, write_files
from spacy_gapdner.formats.registry import choose_output


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("writer", [replacing, filling])
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


def test_many_documents_with_the_same_name(tmp_path, report):
    doc = Doc(Vocab(), user_data={DOC_NAME: "x"})
    assert write_files([doc] * 20_000, tmp_path, lambda doc: {}, report) == 20_000


def test_standard_output_is_not_a_file():
    for check in (choose_output, lambda path: check_output(path, {})):
        with pytest.raises(GapDNERError, match='"-" is not supported as output'):
            check(Path("-"))


def test_names_that_are_too_long_for_files(tmp_path, report):
    render = lambda doc: {".txt": doc.text}  # noqa: E731
    docs = [Doc(Vocab(), user_data={DOC_NAME: name}) for name in ("x", f"http://y/{'z' * 241}")]
    with pytest.raises(GapDNERError, match="is too long for a file"):
        write_files(docs, tmp_path / "out", render, report)
    assert [*tmp_path.iterdir()] == []


def test_devices_are_not_replaced():
    check_output(Path(os.devnull), {})
    with replacing(Path(os.devnull)) as path:
        path.write_text("gone")
    assert path.is_char_device()
    with pytest.raises(GapDNERError, match=f"brat writes a folder, but {os.devnull} is not one"):
        choose_output(Path(os.devnull))


def test_outputs_never_overwrite_inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for name in ("file", "other"):
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing" / "x")
    inputs = {"data": Path("data"), "text": tmp_path / "file", "model": "en_core", "none": None}
    check_output(tmp_path / "new" / "y.json", inputs)
    for path, message in {
        "data/x.json": "lies in the data",
        "file": "is the text",
        "link": "is the text",
        "data": "is a folder",
        "other/x": "is not a folder",
        "nowhere/x": "is not a folder",
    }.items():
        with pytest.raises(GapDNERError, match=message):
            check_output(Path(path), inputs)
    with pytest.raises(GapDNERError, match="contains the data"):
        check_output(tmp_path, inputs, is_file=False)
    with pytest.raises(GapDNERError, match="other is not a folder"):
        check_output(Path("other"), inputs, is_file=False, force=True)
    with pytest.raises(GapDNERError, match="a folder, but nowhere is not one"):
        choose_output(Path("nowhere"))


def test_each_document_has_its_own_visible_file_in_the_folder(tmp_path, report):
    names = ["a.b", ".0", "a/.b/c", "...", "0", "../x", "/x", "x", "x-2"]
    names += ["..", None, "a\0b", "a/../../y", "~/y", "X"]
    docs = [Doc(Vocab(), user_data={DOC_NAME: name} if name else {}) for name in names]

    def render(doc):
        return {".txt": doc.user_data.get(DOC_NAME, "")}

    assert write_files(docs, tmp_path, render, report) == 15
    found = {p.relative_to(tmp_path).as_posix(): p.read_text() for p in tmp_path.rglob("*.txt")}
    stems = ["a.b", "0", "a/b/c", "doc000004", "0-2", "x", "x-2", "x-3", "x-2-2"]
    stems += ["doc000010", "doc000011", "ab", "a/y", "~/y", "X-4"]
    assert found == {f"{stem}.txt": name or "" for stem, name in zip(stems, names, strict=True)}
    renamed = [f"{n!r} is written as {s!r}" for s, n in zip(stems, names, strict=True) if n != s]
    assert [issue.message for issue in report.issues] == [x for x in renamed if "None" not in x]
    for name in ("a.md", ".hidden/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    again = Report()
    write_files(docs[:1], tmp_path, render, again)
    (issue,) = again.issues
    assert issue.message.startswith("14 in the folder, such as 0-2.txt")
