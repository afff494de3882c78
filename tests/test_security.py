"""Files that try to do harm."""

import sys
import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import read_docbin, write_brat
from spacy_gapdner.formats.docs import DOC_NAME
from spacy_gapdner.formats.pubannotation import write_pubannotation

# not on Windows
resource = pytest.importorskip("resource")

NAMES = [
    "../x",
    "/x",
    "a/../../x",
    "..",
    "/",
    "a/./../b",
    "../../../../tmp/x",
    "~/x",
    ".",
    "a//b",
    "a\0b",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_documents_stay_in_the_folder(tmp_path, name):
    doc = Doc(spacy.blank("en").vocab, words=["x"])
    doc.user_data[DOC_NAME] = name
    folder = tmp_path / "deep" / "out"
    assert write_brat([doc], folder) == 1
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2
    assert all(folder in path.resolve().parents for path in files)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_documents_are_names_in_pubannotation_too(tmp_path, name):
    doc = Doc(spacy.blank("en").vocab, words=["x"])
    doc.user_data[DOC_NAME] = name
    folder = tmp_path / "deep" / "out"
    assert write_pubannotation([doc], folder, "gapdner") == 1
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert folder in file.resolve().parents


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
@pytest.mark.parametrize(
    "header", [b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff"]
)
def test_sizes_that_a_file_cannot_have_are_refused(tmp_path, header):
    path = tmp_path / "a.spacy"
    # a list, bytes, or a map of four thousand million items, of which none is there
    path.write_bytes(zlib.compress(header))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(GapDNERError, match=r"is not a \.spacy file"):
        list(read_docbin(path, spacy.blank("en").vocab))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


def test_a_file_that_breaks_after_its_first_document_is_refused(tmp_path):
    vocab = spacy.blank("en").vocab
    DocBin(docs=[Doc(vocab, words=["x"]), Doc(vocab, words=["y"])]).to_disk(tmp_path / "a.spacy")
    message = srsly.msgpack_loads(zlib.decompress((tmp_path / "a.spacy").read_bytes()))
    message["span_groups"][1] = b"\xc1"
    (tmp_path / "a.spacy").write_bytes(zlib.compress(srsly.msgpack_dumps(message)))
    docs = read_docbin(tmp_path / "a.spacy", vocab)
    assert next(docs).text == "x "
    with pytest.raises(GapDNERError, match=r"is not a \.spacy file"):
        next(docs)


def test_objects_in_user_data_are_not_made(tmp_path):
    # user_data is msgpack: what it cannot hold cannot be saved, let alone be loaded
    doc = Doc(spacy.blank("en").vocab, words=["x"])
    doc.user_data["x"] = print
    with pytest.raises(TypeError):
        DocBin(docs=[doc], store_user_data=True).to_bytes()
