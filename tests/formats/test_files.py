"""Finding files."""

import pytest

from spacy_gapdner.analysis.texts import read_texts
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import visible_files


@pytest.mark.parametrize("name", ["B.TXT", "folder/b.Txt"])
def test_an_extension_in_capitals_is_refused(write, name):
    folder = write({"a.txt": b"a", "b.text": b"b", ".hidden/B.TXT": b"c", name: b"d"})
    message = rf"{name} would be ignored because .* must be lowercase \(\.txt\)\. Rename it"
    for find in (lambda: visible_files(folder, (".txt",)), lambda: read_texts(folder)):
        with pytest.raises(GapDNERError, match=message):
            find()
    assert visible_files(folder, (".text",)) == [folder / "b.text"]
