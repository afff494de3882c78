"""Files that are written whole or not at all, and what killed runs leave."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.outputs import check_output, filling, replacing, replacing_folder

posix = pytest.mark.skipif(os.name == "nt", reason="files and locks of POSIX")
WRITERS = {"replacing": replacing, "filling": filling, "replacing_folder": replacing_folder}
KILLED = """
import os, signal, sys
from pathlib import Path
from spacy_gapdner.formats import outputs
with getattr(outputs, sys.argv[1])(Path(sys.argv[2])) as temporary:
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


def test_replacing_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with suppress(KeyError), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(GapDNERError, match="is a folder"), replacing(tmp_path):
        pass


def test_an_input_that_is_no_path_is_no_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_output(tmp_path / "x" / "y.json", {"model": "en_core"})
    with pytest.raises(GapDNERError, match="is the data"):
        check_output(tmp_path / "x.json", {"data": tmp_path / "x.json"})
