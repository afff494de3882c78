import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import Report, guess_format, read_inline, to_docs
from spacy_gapdner.formats import write as write_docs

PLAIN = """severe joint and shoulder pain
0,1,4,4 ADR|0,0,3,4 ADR

no complaint here


rash again
1,1 ADR

"""
NAMED = """Document: A.1
severe joint and shoulder pain
0,1,4,4 ADR|0,0,3,4 ADR

Document: A.1
no complaint here


Document: A.2
rash again
1,1 ADR

"""
JOINT, SHOULDER = Entity("ADR", ((0, 2), (4, 5))), Entity("ADR", ((0, 1), (3, 5)))


@pytest.mark.parametrize(
    ("content", "documents", "lines"),
    [
        (PLAIN, [None] * 3, [1, 4, 7]),
        (NAMED, ["A.1", "A.1", "A.2"], [2, 6, 10]),
        (PLAIN.replace("\n", "\r\n"), [None] * 3, [1, 4, 7]),
        ("\ufeff\n\n" + PLAIN.rstrip("\n"), [None] * 3, [3, 6, 9]),
    ],
)
def test_read(write, report, content, documents, lines):
    records = list(read_inline(write({"a.txt": content}) / "a.txt", report))
    assert [" ".join(r.tokens) for r in records] == [
        "severe joint and shoulder pain",
        "no complaint here",
        "rash again",
    ]
    assert [r.entities for r in records] == [(JOINT, SHOULDER), (), (Entity("ADR", ((1, 2),)),)]
    assert [r.document for r in records] == documents
    assert [(r.name, r.place.line) for r in records] == [
        (f"a-{i}", line) for i, line in enumerate(lines, start=1)
    ]
    assert not report.issues


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.txt", PLAIN), ("a.txt", NAMED), ("a.inline", "no\n\n\na\n0,0 X"), ("b.txt", "a\n0,0 X\n")],
)
def test_guess(write, name, content):
    assert guess_format(write({name: content}) / name) == "inline"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "A note.\n\nAnother line.\n",
        "\n0,0 X\n",
        "a\n0,0 X\nb\n",
        "a b\n10,5 mg twice\n\n",
        "Take it with\n10,5 mg\n\nafter meals\n",
    ],
)
def test_plain_text_is_not_inline(write, content):
    with pytest.raises(GapDNERError, match=r"has text without annotation|is empty"):
        guess_format(write({"a.txt": content}) / "a.txt")


def test_write_gives_the_file_back(write, report, nlp):
    path = write({"a.txt": NAMED})
    docs = to_docs(read_inline(path / "a.txt", report), nlp, report, n_sents=0)
    assert write_docs(docs, path / "new" / "b.txt", "inline") == 3
    assert (path / "new" / "b.txt").read_text() == NAMED


@pytest.mark.parametrize(
    ("words", "label", "message"),
    [
        (["a b"], "X", "the token 'a b', which .* contains whitespace"),
        (["a"], "X Y", "label 'X Y'"),
        (["a"], "X|Y", "a bar"),
    ],
)
def test_cannot_write(tmp_path, words, label, message):
    doc = Doc(Vocab(), words=words)
    set_entities(doc, [Entity(label, ((0, 1),))])
    with pytest.raises(GapDNERError, match=message):
        write_docs([doc], tmp_path / "a.txt", "inline")
    assert list(tmp_path.iterdir()) == []


def test_whitespace_tokens_are_left_out(tmp_path):
    words = ["severe", "\n", "joint", "and", " ", "hip", "pain", "\n\n", "\n"]
    doc = Doc(Vocab(), words=words, sent_starts=[True, *[False] * 7, True])
    entities = [
        Entity("A", ((0, 1), (2, 3), (6, 7))),  # only whitespace between the first two
        Entity("A", ((2, 3), (5, 8))),
        Entity("B", ((7, 8),)),
    ]
    set_entities(doc, entities)
    report = Report()
    assert write_docs([doc], tmp_path / "a.inline", "inline", report=report) == 1
    assert (tmp_path / "a.inline").read_text() == (
        "severe joint and hip pain\n0,1,4,4 A|1,1,3,4 A\n\n"
    )
    assert report.counts("dropped") == {"entity of whitespace": 1}
