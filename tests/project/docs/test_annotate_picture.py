"""The script makes the picture of the annotation page."""

import struct

import annotate_picture
import pytest
from chromium import open_browser


@pytest.mark.slow
def test_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(annotate_picture, "open_browser", lambda: open_browser(tmp_path / "b"))
    path = tmp_path / "page.png"
    annotate_picture.main(path)
    assert capsys.readouterr().out == f"{path}\n"
    assert struct.unpack(">II", path.read_bytes()[16:24]) == (1200, 620)
