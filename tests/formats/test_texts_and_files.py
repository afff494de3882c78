"""Files that are written whole or not at all, and what killed runs leave."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import (
    check_output,
    filling,
    replacing,
    replacing_folder,
    visible_files,
)
from spacy_gapdner.formats.texts import InputText, WaitingStream, count_texts, read_texts

posix = pytest.mark.skipif(os.name == "nt", reason="files and locks of POSIX")
WRITERS = {"replacing": replacing, "filling": filling, "replacing_folder": replacing_folder}
KILLED = """
import os, signal, sys
from pathlib import Path
from spacy_gapdner.formats import files
with getattr(files, sys.argv[1])(Path(sys.argv[2])) as temporary:
    (temporary if temporary.is_file() else temporary / "x").write_text("half")
    print("ready", flush=True)
    sys.stdin.read()
"""


@posix
@pytest.mark.parametrize("name", WRITERS)
def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path, name):
    path = tmp_path / "out.x"
    other = tmp_path / ".out.x.mine"
    other.write_text("kept")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, name, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        (left,) = set(tmp_path.iterdir()) - {other}

        def write():
            with WRITERS[name](path) as temporary:
                (temporary if temporary.is_file() else temporary / "x").write_text("whole")

        # it still runs, and keeps what it writes
        write()
        assert left.exists()
        process.kill()
        process.wait()
        write()
        assert set(tmp_path.iterdir()) == {other, path}
    finally:
        process.kill()
        process.communicate()


@posix
def test_devices_are_written_not_replaced():
    with replacing(Path(os.devnull)) as path:
        path.write_text("gone")
    assert path.is_char_device()


@posix
def test_a_named_pipe_in_a_folder_is_no_file_of_it(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "a.txt").write_text("a")
    assert visible_files(tmp_path, (".txt",)) == [tmp_path / "a.txt"]
    assert [text.text for text in read_texts(tmp_path)] == ["a"]
    with pytest.raises(GapDNERError, match="There is no file"):
        read_texts(tmp_path / "pipe.txt")


def test_an_input_that_is_no_path_is_no_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_output(tmp_path / "x" / "y.json", {"model": "en_core"})
    with pytest.raises(GapDNERError, match="is the data"):
        check_output(tmp_path / "x.json", {"data": tmp_path / "x.json"})


def test_texts_are_counted_without_reading_them(tmp_path):
    (tmp_path / "a.txt").write_text("1\n2\n3")
    (tmp_path / "b.txt").write_bytes(b"\xff\n")
    (tmp_path / "c.jsonl").write_text('{"text": "1"}\nbroken')
    assert count_texts(tmp_path) == 2
    assert count_texts(tmp_path, lines=True) == 4
    assert count_texts(tmp_path / "c.jsonl") == 2
    assert count_texts(tmp_path / "missing") is None


def test_a_stream_gives_what_is_there_and_then_its_error():
    def texts():
        yield from map(InputText, "abc")
        raise GapDNERError("broken")

    stream = iter(WaitingStream(texts()))
    assert [next(stream).text for _ in "abc"] == ["a", "b", "c"]
    with pytest.raises(GapDNERError, match="broken"):
        next(stream)
