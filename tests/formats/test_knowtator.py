import os
from pathlib import Path

import pytest

from spacy_gapdner.analysis.statistics import stats
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import read_knowtator, to_docs

TEXT = "hair and root cells\n"


def version_1(name, *annotations):
    body = ""
    for number, (label, spans, surface) in enumerate(annotations):
        tags = "".join(f'<span start="{s}" end="{e}"/>' for s, e in spans)
        body += (
            f'<annotation>\n<mention id="I_{number}"/><annotator id="A">A</annotator>{tags}'
            f"<spannedText>{surface}</spannedText></annotation>\n"
        )
        if label:
            body += (
                f'<classMention id="I_{number}"><mentionClass id="{label}">x</mentionClass>'
                "</classMention>\n"
            )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f'{head}<annotations textSource="{name}">\n{body}</annotations>\n'


VERSION_2 = """<?xml version="1.0" encoding="UTF-8"?>
<knowtator-project><document id="1" text-file="1.txt">
<annotation annotator="Default" id="a1" motivation="" type="identity">
  <class id="X:1" label="'x'"/>
  <span end="19" id="s2" start="14">cells</span><span end="4" id="s1" start="0">hair</span>
</annotation></document></knowtator-project>
"""
HAIR_CELLS = ("CL:1", [(0, 4), (14, 19)], "hair ... cells")
ROOT_CELLS = ("CL:2", [(9, 19)], "root cells")


def fragments(record):
    return [(e.label, e.fragments) for e in record.entities]


def test_version_1(write, report):
    xml = version_1("1.txt", HAIR_CELLS, ROOT_CELLS)
    path = write({"txt/1.txt": TEXT, "ann/1.txt.knowtator.xml": xml})
    (record,) = read_knowtator(path, report)
    assert (record.name, record.text) == ("txt/1", TEXT)
    assert fragments(record) == [("CL:1", ((0, 4), (14, 19))), ("CL:2", ((9, 19),))]
    assert [(e.id, e.line) for e in record.entities] == [("I_0", 3), ("I_1", 6)]
    assert report.issues == []


def test_version_2(write, report):
    path = write({"1.txt": TEXT, "1.xml": VERSION_2})
    (record,) = read_knowtator(path, report)
    assert fragments(record) == [("X:1", ((0, 4), (14, 19)))]
    assert (record.entities[0].id, record.entities[0].line) == ("a1", 3)
    assert report.counts() == {"fragments out of order": 1}


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (("", [(0, 4)], "hair"), "annotation without class"),
        (("X", [], ""), "annotation without span"),
        (("X", [("a", 4)], "hair"), "offsets are no numbers"),
        (("X", [(0, 99)], "hair"), "offsets out of range"),
        (("X", [(-2, 4)], "hair"), "offsets out of range"),
        (ROOT_CELLS, "duplicate entity"),
    ],
)
def test_dropped(write, report, annotation, kind):
    path = write({"1.txt": TEXT, "1.xml": version_1("1.txt", ROOT_CELLS, annotation)})
    (record,) = read_knowtator(path, report)
    assert fragments(record) == [("CL:2", ((9, 19),))]
    assert [(i.action, i.kind, i.place.line) for i in report.issues] == [("dropped", kind, 6)]


def test_crlf_counted_as_one(write, report):
    xml = version_1("1.txt", ("X", [(5, 9)], "root"))
    (record,) = read_knowtator(write({"1.txt": "hair\r\nroot", "1.xml": xml}), report)
    assert fragments(record) == [("X", ((5, 9),))]
    assert record.text == "hair\nroot"


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><annotations>&b;</annotations>'
EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><annotations>&a;</annotations>'


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "holds no .xml"),
        ({"1.xml": VERSION_2}, r"annotates 1\.txt, which is missing"),
        ({"1.xml": "<annotations/>"}, "unnamed text"),
        ({"1.xml": ""}, r"1\.xml:1 is not well-formed"),
        ({"1.xml": VERSION_2[:200]}, "is not well-formed"),
        ({"1.xml": '<?xml version="1.0" encoding="UTX"?><annotations/>'}, "encoding: UTX"),
        ({"1.xml": "<html/>"}, "its root is <html>"),
        ({"1.xml": BOMB}, "declares XML entities"),
        ({"1.xml": EXTERNAL}, "declares XML entities"),
        ({"1.xml": VERSION_2.encode("utf-8").replace(b"cells", b"c\xe4lls")}, "not well-formed"),
        ({"1.xml": VERSION_2, "1.txt": b"\xff"}, r"1\.txt is not UTF-8"),
        ({"1.xml": VERSION_2, "2.xml": VERSION_2, "1.txt": TEXT}, "second annotation file"),
        ({"c/1.xml": VERSION_2, "a/1.txt": TEXT, "b/1.txt": TEXT}, "there are 2"),
    ],
)
def test_bad_input(write, report, files, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_knowtator(write(files), report))


@pytest.fixture
def craft(write):
    ontologies = "concept-annotation"
    return write(
        {
            "articles/txt/1.txt": TEXT,
            "articles/txt/2.txt": TEXT,
            "articles/ids/craft-ids-train.txt": "1\n9\n",
            "articles/ids/craft-ids-dev.txt": "2\n",
            "articles/ids/craft-ids-test.txt": "8\n",
            f"{ontologies}/CL/CL/knowtator/1.txt.knowtator.xml": version_1("1.txt", HAIR_CELLS),
            f"{ontologies}/CL/CL/knowtator/2.txt.knowtator.xml": version_1("2.txt"),
            f"{ontologies}/CL/CL+extensions/knowtator/1.txt.knowtator.xml": version_1("1.txt"),
            f"{ontologies}/MONDO/MONDO_with_genotype_annotations/knowtator-2/1.xml": "junk",
            f"{ontologies}/MONDO/MONDO_without_genotype_annotations/knowtator-2/1.xml": VERSION_2,
        }
    )


def test_craft(craft, report):
    first, second = read_knowtator(craft, report)
    assert (first.name, first.split, second.name) == ("1", None, "2")
    assert fragments(first) == [
        ("CL", ((0, 4), (14, 19))),
        ("MONDO", ((0, 4), (14, 19))),
    ]
    assert second.entities == ()
    assert report.counts("kept") == {"no annotation file": 1}


def test_craft_options(craft, report):
    (record,) = read_knowtator(craft, report, ontologies=("CL",), labels="class", split="train")
    assert (record.name, record.split) == ("1", "train")
    assert [e.label for e in record.entities] == ["CL:1"]
    assert report.counts("dropped") == {"article missing": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ontologies": ("CL", "GO")}, r"no ontology GO\. It has: CL.*, MONDO"),
        ({"split": "test"}, "None of the 1 articles"),
        ({"split": "all"}, "Unknown split 'all'"),
        ({"labels": "name"}, "Unknown labels 'name'"),
    ],
)
def test_craft_bad_options(craft, report, options, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_knowtator(craft, report, **options))


def test_craft_options_elsewhere(write, report):
    path = write({"1.txt": TEXT, "1.xml": VERSION_2})
    with pytest.raises(GapDNERError, match="not the top folder of CRAFT"):
        list(read_knowtator(path, report, split="train"))


@pytest.mark.skipif("GAPDNER_CRAFT" not in os.environ, reason="GAPDNER_CRAFT names no CRAFT copy")
def test_real_craft(nlp, report):
    path = Path(os.environ["GAPDNER_CRAFT"])
    records = read_knowtator(path, report, ontologies=("CL", "GO_BP"), split="dev")
    found = stats(to_docs(records, nlp, report, n_sents=0))
    assert (found.docs, found.entities, found.discontinuous) == (7, 2236, 89)
    assert report.counts("dropped") == {}
