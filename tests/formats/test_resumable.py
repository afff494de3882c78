"""A file that grows: what is kept of an earlier run, what is refused, and what stays after both."""

import json
import os
from contextlib import suppress

import pytest

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import resumable
from spacy_gapdner.formats.resumable import growing
from spacy_gapdner.formats.texts import InputText


def line(name, text="text"):
    return json.dumps({"id": name, "text": text}).encode() + b"\n"


TWO = line("a") + line("b")
WHOLE_WITHOUT_END = line("c").rstrip()


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out.jsonl"


@pytest.fixture
def part(tmp_path):
    return tmp_path / "out.jsonl.part"


def resume(path, *names):
    """Do what is missing of these documents."""
    with growing(path, resume=True) as grown:
        missing = [text.name for text in grown.missing(InputText("text", {"id": n}) for n in names)]
        for name in missing:
            grown.stream.write(line(name))
    return missing


@pytest.mark.parametrize("which", ["output", "part"])
@pytest.mark.parametrize(
    ("last", "kept"),
    [
        (b"", b""),
        (line("c")[:-5], b""),
        (b"\0" * 8, b""),
        (b'{"id": "c", "te\n', b""),
        (b"[" * 100_000, b""),
        (WHOLE_WITHOUT_END, line("c")),
    ],
)
def test_only_a_broken_last_line_is_cut(request, output, which, last, kept):
    request.getfixturevalue(which).write_bytes(TWO + last)
    assert resume(output, *"abcd") == (["d"] if kept else ["c", "d"])
    assert output.read_bytes() == TWO + line("c") + line("d")


@pytest.mark.parametrize("which", ["output", "part"])
@pytest.mark.parametrize("bad", [b"{'id': 1}\n", b"[1]\n", b"\xe4\n", b'{"id": "c", "te\n'])
@pytest.mark.parametrize("end", [line("c"), line("c")[:-4]])
def test_a_bad_line_with_others_after_it_is_refused(request, tmp_path, output, which, bad, end):
    path = request.getfixturevalue(which)
    path.write_bytes(TWO + bad + end)
    with pytest.raises(GapDNERError) as error:
        resume(output, *"abcd")
    assert str(error.value).startswith(f"{path}:3 ")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == TWO + bad + end


@pytest.mark.parametrize("which", ["output", "part"])
def test_another_text_of_a_document_leaves_all_as_it_was(request, tmp_path, output, which):
    path = request.getfixturevalue(which)
    path.write_bytes(line("a", "other") + line("b"))
    with pytest.raises(GapDNERError, match="another text of the document a"):
        resume(output, "a")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == line("a", "other") + line("b")


def test_a_text_without_id_leaves_no_file(tmp_path, output):
    with pytest.raises(GapDNERError, match='no "id"'):
        resume(output, None)
    assert not list(tmp_path.iterdir())


def test_what_was_done_before_an_error_is_kept(output, part):
    output.write_bytes(TWO)
    with suppress(GapDNERError), growing(output, resume=True) as grown:
        grown.stream.write(line("c"))
        raise GapDNERError
    assert part.read_bytes() == TWO + line("c")
    assert resume(output, *"abcd") == ["d"]


def test_half_a_copy_does_not_stay(monkeypatch, tmp_path, output):
    def stop(older, stream):
        stream.write(older.read(9))
        stream.flush()
        raise KeyboardInterrupt

    output.write_bytes(TWO)
    monkeypatch.setattr("shutil.copyfileobj", stop)
    with pytest.raises(KeyboardInterrupt):
        resume(output, "c")
    assert list(tmp_path.iterdir()) == [output]
    assert output.read_bytes() == TWO


def test_an_older_part_does_not_replace_a_newer_file(output, part):
    part.write_bytes(TWO)
    output.write_bytes(line("c"))
    os.utime(part, (1000, 1000))
    with pytest.raises(GapDNERError) as error:
        resume(output, *"abcd")
    assert str(error.value).startswith(f"{output} is newer than {part}, ")
    assert (output.read_bytes(), part.read_bytes()) == (line("c"), TWO)
    # a run over an older file was stopped
    os.utime(output, (999, 999))
    assert resume(output, *"abcd") == ["c", "d"]


def test_a_new_run_that_was_stopped_at_once_has_done_nothing(output, part):
    # what the older output holds may be of another model
    output.write_bytes(TWO)
    with pytest.raises(KeyboardInterrupt), growing(output, resume=False):
        raise KeyboardInterrupt
    assert part.read_bytes() == b""
    assert resume(output, *"ab") == ["a", "b"]


def test_the_output_stays_claimed_until_it_has_its_name(monkeypatch, output, part):
    if not has_locks(output):
        pytest.skip("needs locks of files")
    replace = os.replace

    def another_run_first(source, target):
        with pytest.raises(GapDNERError, match="is being written by another run"):
            resume(output, "b")
        replace(source, target)

    monkeypatch.setattr(os, "replace", another_run_first)
    with growing(output, resume=False) as grown:
        grown.stream.write(line("a"))
    assert output.read_bytes() == line("a")


def test_a_run_that_ends_meanwhile_keeps_its_output(monkeypatch, output):
    claim = resumable.lock

    def let_another_run_end(handle):
        monkeypatch.setattr(resumable, "lock", claim)
        resume(output, "a")
        return claim(handle)

    monkeypatch.setattr(resumable, "lock", let_another_run_end)
    with (
        pytest.raises(GapDNERError, match="is being written by another run"),
        growing(output, resume=False),
    ):
        raise AssertionError
    assert output.read_bytes() == line("a")
    assert resume(output, *"ab") == ["b"]


def has_locks(path):
    with path.with_name("lock").open("wb") as stream:
        return resumable.lock(stream.fileno()) is not None
