"""Malicious files."""

import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import read_docbin, write
from spacy_gapdner.formats.docs import DOC_NAME

NAMES = ["../x", "/x", "a/../../x", "..", "~/x", "a\0b"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("format", "n_files"), [("brat", 2), ("pubannotation", 1)])
def test_files_stay_in_the_folder(tmp_path, name, format, n_files):
    doc = Doc(spacy.blank("en").vocab, words=["x"])
    doc.user_data[DOC_NAME] = name
    folder = tmp_path / "deep" / "out"
    assert write([doc], folder, format) == 1
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == n_files
    assert all(folder in path.resolve().parents for path in files)


# a list, bytes or a map with four billion missing items
@pytest.mark.parametrize("first", [b"\xdd", b"\xc6", b"\xdf"])
def test_impossible_sizes(tmp_path, first):
    path = tmp_path / "a.spacy"
    path.write_bytes(zlib.compress(first + b"\xff" * 4))
    with pytest.raises(GapDNERError, match=r"is not a \.spacy file"):
        list(read_docbin(path, spacy.blank("en").vocab))


def test_invalid_second_document(tmp_path):
    vocab = spacy.blank("en").vocab
    DocBin(docs=[Doc(vocab, words=["x"]), Doc(vocab, words=["y"])]).to_disk(tmp_path / "a.spacy")
    message = srsly.msgpack_loads(zlib.decompress((tmp_path / "a.spacy").read_bytes()))
    message["span_groups"][1] = b"\xc1"
    (tmp_path / "a.spacy").write_bytes(zlib.compress(srsly.msgpack_dumps(message)))
    docs = read_docbin(tmp_path / "a.spacy", vocab)
    assert next(docs).text == "x "
    with pytest.raises(GapDNERError, match=r"is not a \.spacy file"):
        next(docs)
