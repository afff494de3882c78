"""Finding files, and reading their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.analysis.texts import read_texts
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import Report
from spacy_gapdner.formats.files import read_lines, read_text, visible_files, with_unix_line_ends


@given(text=st.text(st.sampled_from("a \x0b\x85\u2028\ufeff\r\n")))
def test_lines_are_those_of_the_whole_text(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(text.encode("utf-8"))
    streamed, whole = Report(), Report()
    lines = "\n".join(read_lines(path, streamed))
    assert lines == with_unix_line_ends(read_text(path, whole)).removesuffix("\n")
    assert streamed == whole


@pytest.mark.parametrize("name", ["B.TXT", "folder/b.Txt"])
def test_an_extension_in_capitals_is_refused(write, name):
    folder = write({"a.txt": b"a", "b.text": b"b", ".hidden/B.TXT": b"c", name: b"d"})
    message = rf"{name} would be ignored because .* must be lowercase \(\.txt\)\. Rename it"
    for find in (lambda: visible_files(folder, (".txt",)), lambda: read_texts(folder)):
        with pytest.raises(GapDNERError, match=message):
            find()
    assert visible_files(folder, (".text",)) == [folder / "b.text"]
