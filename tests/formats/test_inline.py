"""Inline text: mentions, documents, line endings and unsupported content."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, guess_format
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.inline import read_inline

SENTENCE = "severe joint and shoulder pain"
INLINE = f"""{SENTENCE}
0,1,4,4 ADR|0,0,3,4 ADR

no complaint here


rash again
1,1 ADR

"""
LINES = INLINE.split("\n")
NAMES = ["Document: A.1", "Document: A.1", "Document: A.2"]
NAMED = "\n".join(part for n in range(3) for part in (NAMES[n], *LINES[3 * n : 3 * n + 3])) + "\n"
ENTITIES = Entity("ADR", ((0, 2), (4, 5))), Entity("ADR", ((0, 1), (3, 5)))


@pytest.mark.parametrize(
    ("content", "documents", "lines"),
    [
        (INLINE, [None] * 3, [1, 4, 7]),
        (NAMED, ["A.1", "A.1", "A.2"], [2, 6, 10]),
        (INLINE.replace("\n", "\r\n"), [None] * 3, [1, 4, 7]),
        ("\ufeff\n\n" + INLINE.rstrip("\n"), [None] * 3, [3, 6, 9]),
    ],
)
def test_inline(write, report, content, documents, lines):
    path = write({"a.txt": content}) / "a.txt"
    assert guess_format(path) == "inline"
    records = list(read_inline(path, report))
    assert [" ".join(r.tokens) for r in records] == [LINES[0], LINES[3], LINES[6]]
    assert [r.entities for r in records] == [ENTITIES, (), (Entity("ADR", ((1, 2),)),)]
    assert [r.name for r in records] == ["a-1", "a-2", "a-3"]
    assert [(r.place.line, r.document) for r in records] == [*zip(lines, documents, strict=True)]
    assert not report.issues


def test_inline_text_has_no_whitespace_tokens(tmp_path, report):
    words = ["severe", "\n", "joint", "and", " ", "hip", "pain", "\n\n", "\n"]
    doc = Doc(Vocab(), words=words, sent_starts=[True, *[False] * 7, True])
    # only whitespace between the first two fragments
    entities = [Entity("A", ((0, 1), (2, 3), (6, 7))), Entity("A", ((2, 3), (5, 8)))]
    set_entities(doc, [*entities, Entity("B", ((7, 8),))])
    doc.user_data[DOC_NAME] = "A\n1"
    assert write_docs([doc], tmp_path / "a.inline", report=report) == 1
    expected = "Document: A 1\nsevere joint and hip pain\n0,1,4,4 A|1,1,3,4 A\n\n"
    assert (tmp_path / "a.inline").read_text() == expected
    assert report.counts("dropped") == {"entity of whitespace": 1}
    # a number as the name
    doc.user_data[DOC_NAME] = 17
    write_docs([doc], tmp_path / "a.inline")
    assert (tmp_path / "a.inline").read_text().startswith("Document: 17\n")
    doc.user_data[DOC_NAME] = " \n"
    write_docs([doc], tmp_path / "a.inline")
    assert (tmp_path / "a.inline").read_text().startswith("severe joint")
