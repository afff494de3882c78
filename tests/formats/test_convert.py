import json

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.analysis import stats
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, convert

RECORD = {
    "text": "Bad arm and leg pain.\nNo rash.",
    "entities": [
        {"label": "ADR", "fragments": [{"start": 0, "end": 7}, {"start": 16, "end": 20}]},
        {"label": "ADR", "fragments": [{"start": 25, "end": 29}], "score": 0.25},
    ],
    "id": "a",
    "meta": {"year": 2020},
}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps(RECORD) + "\n")
    return path


def docs(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def test_metadata_stop_strict_mode_and_an_id_does_not(data, tmp_path):
    with pytest.raises(GapDNERError, match=r"'meta' .*document metadata"):
        convert(data, tmp_path / "a", strict=True)
    data.write_text(json.dumps({key: RECORD[key] for key in ("text", "entities", "id")}) + "\n")
    report = convert(data, tmp_path / "a", strict=True)
    assert report.issues == []


def test_documents_are_cut_into_sentences_for_spacy_alone(data, tmp_path):
    convert(data, tmp_path / "cut.spacy")
    texts = [doc.text for doc in docs(tmp_path / "cut.spacy")]
    assert texts == ["Bad arm and leg pain.\n", "No rash."]
    # each has the name of its document, but not the other values of the record
    first, second = (doc.user_data for doc in docs(tmp_path / "cut.spacy"))
    assert first == {DOC_NAME: "a", "gapdner_record": {"id": "a", "meta": RECORD["meta"]}}
    assert second == {DOC_NAME: "a"}
    assert stats(docs(tmp_path / "cut.spacy")).documents == 1
    report = convert(data, tmp_path / "whole.spacy", n_sents=0)
    assert report.issues == []
    # Docs that are there already are not cut
    convert(tmp_path / "whole.spacy", tmp_path / "copy.spacy")
    (copy,) = docs(tmp_path / "copy.spacy")
    assert copy.user_data["gapdner_record"] == {"id": "a", "meta": RECORD["meta"]}


def test_docs_keep_their_tokens_and_their_annotation(tmp_path):
    doc = Doc(Vocab(), words=["a-b", "c"], tags=["T", "U"])
    set_entities(doc, [Entity("X", ((0, 1),)), Entity("Y", ((1, 2),))])
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    report = convert(tmp_path / "a.spacy", tmp_path / "b.spacy", types=("X",))
    (again,) = docs(tmp_path / "b.spacy")
    assert [token.text for token in again] == ["a-b", "c"]
    assert [token.tag_ for token in again] == ["T", "U"]
    assert [e.label_ for e in get_entities(again)] == ["X"]
    assert (report.entities, report.left_out) == (1, {"Y": 1})
    with pytest.raises(GapDNERError, match="contains Docs"):
        convert(tmp_path / "a.spacy", tmp_path / "b.spacy", n_sents=1)


@pytest.mark.parametrize("name", ["b.jsonl", "b.spacy"])
def test_entities_under_another_prefix_are_named(tmp_path, name):
    doc = Doc(Vocab(), words=["a", "b"])
    set_entities(doc, [Entity("B", ((0, 1),)), Entity("B", ((1, 2),))], "other")
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    report = convert(tmp_path / "a.spacy", tmp_path / name)
    kept = [] if name == "b.spacy" else [("entities under another prefix", "2 under 'other'")]
    assert [(i.kind, i.message) for i in report.issues] == kept


def test_no_file_that_is_read_is_overwritten(write):
    files = {"a.txt": "pain", "a.ann": "T1\tA 0 4\tpain\n"}
    path = write(files)
    with pytest.raises(GapDNERError, match="which would be overwritten"):
        convert(path / "a.ann", path / "a.txt", to="inline")
    assert {p.name for p in path.iterdir()} == files.keys()
    assert all((path / name).read_text() == content for name, content in files.items())
