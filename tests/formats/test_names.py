"""Names of files."""

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.formats.names import name_files, with_ending


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
