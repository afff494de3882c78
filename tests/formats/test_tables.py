"""Entities as rows of CSV files, Parquet files and data frames."""

import csv

import pandas as pd
import pytest

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import write
from spacy_gapdner.formats.tables import COLUMNS, entity_rows, to_dataframe

FIRST = (
    *("note-1", "ADE", "severe joint pain", 4, 30),
    *("4 16;26 30", True, 0.5, "Q1", "Had severe joint and back pain."),
)
SECOND = ("2", "DRUG", "Naproxen", 0, 8, "0 8", False, None, "", "Naproxen, daily")


@pytest.fixture
def docs(nlp):
    # the second has no sentences
    docs = [nlp("Had severe joint and back pain. Gone."), nlp.make_doc("Naproxen, daily")]
    docs[0].user_data["gapdner_document"] = "note-1"
    set_entities(docs[0], [Entity("ADE", ((1, 3), (5, 6)), 0.5)])
    get_entities(docs[0])[0].kb_id_ = "Q1"
    set_entities(docs[1], [Entity("DRUG", ((0, 1),))])
    return docs


def test_rows_and_csv(docs, tmp_path):
    assert list(entity_rows(docs)) == [FIRST, SECOND]
    assert write(docs, tmp_path / "x.csv") == 2
    # Excel needs the byte order mark
    text = (tmp_path / "x.csv").read_bytes().decode()
    header, _, last = text.removeprefix("\ufeff").splitlines()
    assert text[0] == "\ufeff"
    assert header == ",".join(COLUMNS)
    assert last == '2,DRUG,Naproxen,0,8,0 8,False,,,"Naproxen, daily"'


@pytest.mark.parametrize("text", ["=1+1", "a\r\n\u2028b", 'a, "b"'])
def test_csv_keeps_texts_except_for_line_breaks(nlp, tmp_path, text):
    # spreadsheets treat some texts as formulas, but offsets and programs rely on each character
    doc = nlp(text)
    set_entities(doc, [Entity(text, ((0, len(doc)),), 2 / 3)])
    doc.user_data["gapdner_document"] = "a \n"
    write([doc], tmp_path / "x.csv")
    (row,) = csv.DictReader((tmp_path / "x.csv").read_text("utf-8-sig").split("\n"))
    assert row.keys() == COLUMNS.keys()
    assert (row["document"], row["score"]) == ("a", "0.666667")
    one_line = text.translate(dict.fromkeys(map(ord, "\r\n\u2028"), " "))
    assert (row["type"], row["text"], row["sentence"]) == (one_line, one_line, one_line)


def test_parquet_and_data_frames_agree(docs, tmp_path):
    frame = to_dataframe(docs)
    assert to_dataframe(docs[0]).equals(frame[:1])
    assert list(frame.columns) == list(COLUMNS)
    assert frame["document"].tolist() == ["note-1", "2"]
    assert frame["start"].tolist() == [4, 0]
    assert frame["score"].isna().tolist() == [False, True]
    assert write(docs[0], tmp_path / "x.parquet") == 1
    assert write(docs, tmp_path / "x.parquet") == 2
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "x.parquet").astype(COLUMNS), frame)


def test_no_entities(tmp_path):
    assert write([], tmp_path / "x.csv") == write([], tmp_path / "x.parquet") == 0
    for empty in (to_dataframe([]), pd.read_parquet(tmp_path / "x.parquet")):
        assert (list(empty.columns), len(empty)) == (list(COLUMNS), 0)
