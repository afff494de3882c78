"""Docs of other components: entities in doc.ents or in a group of spans, and invalid groups."""

import re
import subprocess
from pathlib import Path

import numpy
import pytest
from spacy.cli import app
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import Report, convert, read, write

WORDS = ["severe", "joint", "pain", "today"]
ENTS = [("ADR", "severe joint pain", "T1", "C1"), ("Time", "today", "", "")]
# overlapping, as in the output of spancat
SPANS = [("ADR", "severe joint pain", "", ""), ("ADR", "joint pain", "T2", "C2")]


@pytest.fixture
def make(tmp_path):
    def make(group="sc", **attrs):
        doc = Doc(Vocab(), words=WORDS)
        doc.ents = [Span(doc, 0, 3, "ADR", kb_id="C1", span_id="T1"), Span(doc, 3, 4, "Time")]
        spans = [Span(doc, 0, 3, "ADR"), Span(doc, 1, 3, "ADR", kb_id="C2", span_id="T2")]
        doc.spans[group] = SpanGroup(doc, name=group, spans=spans, attrs=attrs)
        DocBin(docs=[doc, Doc(doc.vocab, words=["x"])]).to_disk(tmp_path / "a.spacy")
        return tmp_path / "a.spacy"

    return make


def found(doc):
    return [(e.label_, e.text, e.id_, e.kb_id_) for e in get_entities(doc)]


@pytest.mark.parametrize(
    ("option", "expected"), [({"from_ents": True}, ENTS), ({"from_spans": "sc"}, SPANS)]
)
def test_ents_and_span_groups_become_entities(make, tmp_path, option, expected):
    doc, other = read(make(), **option)
    assert (found(doc), found(other)) == (expected, [])
    assert [span.text for span in doc.spans["sc"]] == ["severe joint pain", "joint pain"]
    report = convert(tmp_path / "a.spacy", tmp_path / "b.spacy", **option)
    assert report.entities == 2
    assert [found(doc) for doc in read(tmp_path / "b.spacy")] == [expected, []]


def test_conll_is_converted_by_spacy(tmp_path):
    # BIOES, which the command in the documentation replaces by BILOU
    rows = "Joint\tB-ADE|swelling\tI-ADE|today\tE-ADE|.\tO||no\tO|rash\tS-ADE|"
    (tmp_path / "data.bioes").write_text(rows.replace("|", "\n"))
    page = Path("project/docs/formats.md").read_text("utf-8")
    (sed,) = re.findall("`(sed .*)`", page)
    subprocess.run(sed, shell=True, check=True, cwd=tmp_path)
    with pytest.raises(GapDNERError, match=r"is CoNLL\. Convert it to \.spacy with"):
        convert(tmp_path / "data.conll", tmp_path / "a.jsonl")
    (options,) = re.findall("python -m spacy convert data.conll [.] (.*)", page)
    app(
        ["convert", str(tmp_path / "data.conll"), str(tmp_path), *options.split()],
        standalone_mode=False,
    )
    convert(tmp_path / "data.spacy", tmp_path / "train.spacy", from_ents=True)
    (doc,) = read(tmp_path / "train.spacy")
    assert [e.text for e in get_entities(doc)] == ["Joint swelling today", "rash"]
    assert [sentence.text for sentence in doc.sents] == ["Joint swelling today .", "no rash"]


def test_types_and_scores(make):
    doc, _ = read(make(), from_ents=True, types=("Time",))
    assert found(doc) == ENTS[1:]
    doc, _ = read(make(scores=numpy.array([0.5, 0.25])), from_spans="sc")
    assert [entity.score for entity in get_entities(doc)] == [0.5, 0.25]


def test_overlapping_group_under_the_prefix_can_be_imported(make):
    path = make("gapdner_1")
    with pytest.raises(GapDNERError, match=r"a\.spacy.*'gapdner_1'.* overlap or are empty"):
        list(read(path))
    doc, _ = read(path, from_spans="gapdner_1")
    assert found(doc) == SPANS
    assert [*doc.spans] == ["gapdner_1", "gapdner_2"]
    with pytest.raises(GapDNERError, match="'gapdner' already has entities"):
        list(read(path, from_ents=True))
    doc, _ = read(path, from_ents=True, spans_key="gold")
    assert len(get_entities(doc, "gold")) == 2


def test_spans_that_are_not_entities_are_counted(tmp_path):
    doc = Doc(Vocab(), words=WORDS)
    doc.spans["sc"] = [Span(doc, 0, 1, "A"), Span(doc, 1, 2), Span(doc, 2, 2, "A")]
    DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    report = Report()
    (doc,) = read(tmp_path / "a.spacy", from_spans="sc", report=report)
    assert found(doc) == [("A", "severe", "", "")]
    (issue,) = report.issues
    assert (issue.action, issue.message) == ("dropped", "2 of 3 spans are empty or have no label")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"from_ents": True, "from_spans": "sc"}, "either from_ents or from_spans"),
        ({"from_spans": "cs"}, "has no span group 'cs'. It has 'sc'"),
        ({"from_ents": True, "format": "brat"}, r"no option from_ents \(spacy has it\)"),
    ],
)
def test_invalid_options(make, options, message):
    with pytest.raises(GapDNERError, match=message):
        list(read(make(), **options))


GROUPS = {
    "different labels": ([(0, 1, "A"), (2, 3, "B")], {}),
    "or are empty": ([(1, 1, "A")], {}),
    "score .* 'high'": ([(0, 1, "A")], {"score": "high"}),
    "attributes .* cannot be saved": ([(0, 1, "A")], {"_": {"cue": b"x"}}),
}


@pytest.mark.parametrize("problem", GROUPS)
def test_span_groups_that_are_not_entities(tmp_path, problem):
    spans, attrs = GROUPS[problem]
    docs = [Doc(Vocab(), words=WORDS) for _ in range(2)]
    # spans of other components under another prefix are ignored
    docs[1].spans["other_1"] = [Span(docs[1], 0, 1, "A"), Span(docs[1], 1, 2, "B")]
    found = [Span(docs[0], start, end, label=label) for start, end, label in spans]
    docs[0].spans["gapdner_1"] = SpanGroup(docs[0], name="gapdner_1", spans=found, attrs=attrs)
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "a.spacy")
    message = rf"a\.spacy, document 'severe joint pain to': .*{problem}"
    with pytest.raises(GapDNERError, match=message):
        list(read(tmp_path / "a.spacy"))
    # only the invalid document is skipped
    report = Report(skip=True)
    assert len(list(read(tmp_path / "a.spacy", report=report))) == 1
    assert len(report.skipped) == 1


@pytest.mark.parametrize("options", [{}, {"from_spans": "sc"}])
def test_labels_without_strings(tmp_path, options):
    doc = Doc(Vocab(), words=WORDS)
    doc.spans["sc" if options else "gapdner_1"] = [Span(doc, 0, 1, "Qxz")]
    docbin = DocBin(docs=[doc])
    docbin.strings.remove("Qxz")
    docbin.to_disk(tmp_path / "a.spacy")
    with pytest.raises(GapDNERError, match=r"a\.spacy is not a valid \.spacy file: document 'sev"):
        list(read(tmp_path / "a.spacy", **options))


def test_files_without_docs(write):
    folder = write({"a.txt": "x", "b.spacy": ""})
    with pytest.raises(GapDNERError, match=r"a\.txt is not a valid \.spacy file"):
        list(read(folder / "a.txt", "spacy"))
    with pytest.raises(GapDNERError, match=r"b\.spacy is empty"):
        list(read(folder / "b.spacy"))


def test_data_that_cannot_be_saved(tmp_path):
    doc = Doc(Vocab(), words=WORDS, user_data={"graph": object()})
    with pytest.raises(
        GapDNERError, match=r"'object' object\). Remove it before you write .*a.spacy"
    ):
        write([doc], tmp_path / "a.spacy")
    assert not any(tmp_path.iterdir())
