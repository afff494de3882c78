"""Names of files and of entities."""

from collections import Counter
from itertools import islice

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.formats.names import free_names, map_names, name_file, with_ending


def test_free_names():
    assert [*islice(free_names({"T1", "T3", "x"}), 3)] == ["T2", "T4", "T5"]


def test_each_document_has_a_visible_file_of_its_own_within_the_folder(tmp_path):
    names = ["a.b", ".0", "a/.b/c", "...", "_.0", "../x", "/x", "x", "x-2", "..", None, "a\0b"]
    doc, taken, found = Doc(Vocab()), Counter(), []
    for number, name in enumerate(names):
        doc.user_data[DOC_NAME] = name
        stem = name_file(doc, number, taken, tmp_path)
        with_ending(stem, ".txt").write_text("")
        found.append(stem.relative_to(tmp_path).as_posix())
    first = ["a.b", "_.0", "a/_.b/c", "_...", "_.0-2", "x", "x-2", "x-3", "x-2-2"]
    assert found == [*first, "doc000009", "doc000010", "a b"]
    assert len(list(tmp_path.rglob("*.txt"))) == len(names)


def test_two_files_of_one_document_are_told(tmp_path):
    files = [tmp_path / "a.txt", tmp_path / "sub" / "a.txt"]
    assert map_names(files[:1], lambda file: file.stem) == {"a": files[0]}
    with pytest.raises(GapDNERError, match=r"a\.txt and .*a\.txt are of the same document"):
        map_names(files, lambda file: file.stem)
