"""Invalid files: the report, or an error of one line, shows what is wrong and where."""

import json

import pytest

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import NOWHERE, Issue, Place, Report, read
from spacy_gapdner.formats.report import UNREADABLE

TEXT = "severe joint and shoulder pain"
BOTH = "severe joint pain"
# the place of the annotation in each format
PLACES = {"brat": "a.ann:1", "inline": "a.txt:2", "w2ner": "a.json, record 1"}
PLACES |= {"jsonl": "a.jsonl:1", "pubannotation": "a.json"}
# brat lines without a line break, so that an entity follows in the same line
BEFORE = ("#1\tAnnotatorNotes T3\tsee 1 2 ", "# mine", "A1\tNegation T3", "N1\tReference T3 X:1\tx")
NO_SCORE = "score that is not a probability"
UNTERMINATED = "entity without its own line"


def brat(*lines):
    return "brat", {"a.txt": TEXT, "a.ann": "".join(f"{line}\n" for line in lines)}


def note(line):
    """A line about an entity, or about another line."""
    return brat(line, "T3\tADR 0 12;26 30\tsevere joint pain")


def inline(mentions):
    return "inline", {"a.txt": f"{TEXT}\n{mentions}\n\n"}


def w2ner(index, label="ADR"):
    ner = [{"index": index, "type": label}]
    return "w2ner", {"a.json": json.dumps([{"sentence": TEXT.split(), "ner": ner}])}


def jsonl(fragments=((0, 12), (26, 30)), **values):
    parts = [{"start": start, "end": end} for start, end in fragments]
    item = {"label": "ADR", "fragments": parts, **values}
    return "jsonl", {"a.jsonl": json.dumps({"text": TEXT, "entities": [item]}) + "\n"}


def pubannotation(**more):
    denotations = [{"id": "T1", "span": {"begin": 7, "end": 12}, "obj": "Part"}]
    item = {"text": TEXT, "denotations": denotations, **more}
    return "pubannotation", {"a.json": json.dumps(item)}


NO_FRAGMENTS = 'entity without "fragments": [{"start": 0, "end": 5}]'
NO_ENTITY = '{"text": "pain", "entities": [%s]}'
NOT_ENTITIES = ("3", "null", "[]", *(f'{{"fragments": {x}}}' for x in ("null", "[[0]]", "{}")))
LINK = {"subj": "T1", "pred": "x", "obj": "T1"}
ISSUES = {
    "repaired": [
        (brat("T1\tADR 26 30;0 12\tsevere joint pain"), [BOTH], "fragments normalized"),
        (brat("T1\tADR 26 30;0 12\tpain severe joint"), [BOTH], "fragments normalized"),
        (brat("T1\tADR 0 6;7 12\tsevere joint"), ["severe joint"], "fragments normalized"),
        (brat("T1\tADR 0 8;7 12"), ["severe joint"], "fragments normalized"),
        (brat("T1\tADR 6 13;25 30"), ["joint pain"], "fragments normalized"),
        (inline("0,1,2,2 X"), ["severe joint and"], "fragments normalized"),
        (inline("4,4,0,1 X"), [BOTH], "fragments normalized"),
        (inline("3,1 X"), ["joint and shoulder"], "fragments normalized"),
        *((jsonl(score=x), [BOTH], NO_SCORE) for x in (7, "high")),
    ],
    "dropped": [
        *((brat(f"T2\tADR {x}\tx"), [], "invalid offsets") for x in ("0 31", "-1 3", "5 5")),
        (brat("T2\tADR 6 7\t "), [], "only whitespace"),
        *((note(f"{line}T9\tADR 0 6\tsevere"), [BOTH], UNTERMINATED) for line in BEFORE),
        (brat("T2\tADR 0 6;7\tx"), [], "malformed line"),
        (brat("T2 ADR 0 6 x"), [], "malformed line"),
        (note("R1\tCauses Arg1:T3 Arg2:T9"), [BOTH], "relation"),
        (note("R1\tx"), [BOTH], "relation"),
        (note("E1\tADR:T9"), [BOTH], "event"),
        (note("*\tOR T3 T9"), [BOTH], "equivalence"),
        (note("A1\tNegation E1"), [BOTH], "attribute"),
        (note("A1\tNegation T9"), [BOTH], "attribute"),
        (note("#1\tAnnotatorNotes E1\tno"), [BOTH], "note"),
        (note("#1 AnnotatorNotes T3"), [BOTH], "note"),
        (note("N1\tReference T9 ICD:1\tx"), [BOTH], "normalization"),
        (inline("0,5 X"), [], "invalid offsets"),
        (inline("0,0 X|0,0 X"), ["severe"], "duplicate entity"),
        *((w2ner(index), [], "malformed entity") for index in ([0, 5], [-1], [])),
        (w2ner([0], ""), [], "malformed entity"),
        (jsonl(kb_id=3), [], "malformed entity"),
        *((jsonl(label=label), [], "malformed entity") for label in (None, "", 3)),
        *((jsonl([pair]), [], "malformed entity") for pair in ((0, None), (False, 4), (0, "4"))),
        (jsonl([]), [], "malformed entity"),
        *((("jsonl", {"a.jsonl": NO_ENTITY % item}), [], NO_FRAGMENTS) for item in NOT_ENTITIES),
        (pubannotation(modifications=[{"obj": "T1"}]), ["joint"], "modification"),
        (pubannotation(blocks=[{"id": "B1"}]), ["joint"], "block"),
        (pubannotation(relations=[LINK]), ["joint"], "relation"),
        (pubannotation(attributes=[{**LINK, "subj": "R1"}]), ["joint"], "attribute"),
    ],
    "kept": [
        (brat("T1\tADR 0 6\tjoint"), ["severe"], "surface text differs"),
        (jsonl(text="severe shoulder"), [BOTH], "surface text differs"),
    ],
}


@pytest.mark.parametrize(
    ("file", "texts", "kind", "action"),
    [(*case, action) for action, cases in ISSUES.items() for case in cases],
)
def test_invalid_entities(write, report, nlp, file, texts, kind, action):
    format, files = file
    (doc,) = read(write(files), format, nlp=nlp, report=report)
    assert [entity.text for entity in get_entities(doc)] == texts
    assert [(issue.action, issue.kind) for issue in report.issues] == [(action, kind)]
    assert PLACES[format] in str(report.issues[0]).partition(": ")[0]


GOOD = '{"text": "a", "entities": []}\n'
SENTENCE = '{"sentence": ["a"], "ner": []}'
PASSAGES = '{"documents": [{"id": "1", "passages": [%s]}]}'
XML = (
    "<collection><document><id>d1</id><passage><offset>0</offset><text>Joint pain</text>"
    '<annotation id="T1"><infon key="type">A</infon><location offset="0" length="5"/></annotation>'
    "</passage><passage><offset>11</offset><text>x</text></passage></document></collection>"
)
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><%s>&b;</%s>'

# format, content of a file or files of a folder, and message
FILES = [
    ("jsonl", '{"text": "a"}\n', 'a:1 has no "entities"'),
    ("jsonl", '{"text": "a", "entities": 3}', "a:1 has a value of the wrong type or length"),
    ("jsonl", '{"text": "a", "entities": [{"label": "A"}]}', 'a:1 has no "fragments"'),
    ("spacy", {"a.spacy": ""}, r"a\.spacy is empty"),
    ("jsonl", GOOD + '{"entities": []}\n', 'a:2 is not an object with a string "text"'),
    ("jsonl", GOOD + "{", "a:2 is not JSON"),
    ("jsonl", b'{"text": "\xe9"}', "a:1 is not UTF-8"),
    ("w2ner", "", "is not JSON"),
    ("w2ner", "null", "a is not a list of sentences"),
    ("w2ner", f'[{SENTENCE},\n {{"sent', "a is not JSON: .* line 2"),
    ("w2ner", '[{"sentence": ["a"]}]', 'record 1 has no "ner"'),
    ("w2ner", '[{"sentence": "a b", "ner": []}]', "record 1 has no list of tokens"),
    ("inline", "a b\n0,0\n\n", "a:1 is not inline text"),
    ("inline", "a b\n\n\na b\n0,0 X\nc d\n\n\n", "a:4 is not inline text"),
    ("inline", "a b\n\nc d\n\n", "is not inline text"),
    ("inline", "Document: A\n\n0,0 X\n\n", "a:2 is not inline text"),
    ("pubtator", "1\t2\n", "is not a title"),
    ("pubtator", "1|t|a\n2|t|b\n", "a:2 has no empty line before article 2"),
    ("prodigy", '{"spans": []}', 'not an object with a string "text"'),
    ("doccano", '{"text": "a"}', 'a:1 has no "label"'),
    ("labelstudio", "[1]", 'no tasks with "data". Export JSON, not JSON-MIN'),
    ("labelstudio", '{"data": {}, "annotations": [{"result": []}]}', 'no "text"'),
    *(("pubannotation", text, "/a (is not JSON|has no objects)") for text in ("[", "[1]", "{}")),
    ("bioc", "<collection>", "cannot be read as XML"),
    ("bioc", "<other/>", "no <collection>"),
    ("bioc", ENTITIES % ("collection", "collection"), "cannot be read as XML"),
    ("bioc", XML.replace('offset="0"', 'offset="x"'), "a, d1 has a value of the wrong .*'x'"),
    ("bioc", XML.replace("<offset>11", "<offset>5"), "passages that overlap or .* at offset 5"),
    ("bioc", '<?xml version="1.0" encoding="x"?>' + XML, "cannot be read as XML: unknown encoding"),
    ("bioc", {"a.json": '[{"documents": 1}]'}, 'no list of "documents"'),
    ("bioc", {"a.json": '{"documents": [1]}'}, 'no list of "documents"'),
    ("bioc", {"a.json": PASSAGES % '{"text": "a"}'}, 'a.json, 1 has no "offset"'),
    ("brat", {}, "contains no .txt or .ann"),
    ("brat", {"a.txt": "x"}, "contains no .ann"),
    ("brat", {"a.txt": "x", "a.ann": "<xml>\n"}, r"a\.ann:1 is not brat standoff"),
    ("brat", {"a.txt": b"na\xefve", "a.ann": ""}, r"a\.txt is not UTF-8: byte 0xef at position 2"),
]


@pytest.mark.parametrize(("format", "content", "message"), FILES)
def test_unreadable_files(write, report, nlp, format, content, message):
    is_folder = isinstance(content, dict)
    path = write(content if is_folder else {"a": content})
    with pytest.raises(GapDNERError, match=message) as error:
        list(read(path if is_folder else path / "a", format, nlp=nlp, report=report))
    assert "\n" not in str(error.value)


def test_entities_after_a_malformed_one_are_read(write, report):
    part = [{"start": 0, "end": 4}]
    items = [{"label": "A", "fragments": part, "kb_id": 3}, {"label": "B", "fragments": part}]
    path = write({"a.jsonl": json.dumps({"text": "pain", "entities": items})})
    (doc,) = read(path, report=report)
    assert [entity.label_ for entity in get_entities(doc)] == ["B"]
    assert report.counts() == {"malformed entity": 1}


def test_counts_and_json():
    report = Report(documents=2, entities=3)
    report.left_out.update(["B", "A"])
    report.add("dropped", UNREADABLE, "message", Place("a.txt", 3, "a"))
    report.add("kept", "duplicate entity", "x" * 1000, NOWHERE, ((0, 2),))
    assert [str(issue) for issue in report.skipped] == ["a.txt:3: message"]
    # errors start with the place
    error = Issue("dropped", UNREADABLE, "a.docx is not text", Place("a.docx"))
    assert str(error) == "a.docx is not text"
    assert str(Place("a/10_docs.json", None, "1")) == "a/10_docs.json, 1"
    values = report.to_dict()
    first, second = values.pop("issues")
    expected = {"documents_read": 2, "entities_read": 3, "missing": {}, "chosen": {}}
    expected |= {"left_out": {"A": 1, "B": 1}, "lang": None}
    counts = {"dropped": {UNREADABLE: 1}, "repaired": {}, "kept": {"duplicate entity": 1}}
    assert values == expected | counts
    place = {"file": "a.txt", "line": 3, "document": "a", "offsets": ()}
    assert first == {"action": "dropped", "kind": UNREADABLE, "message": "message", **place}
    assert (second["offsets"], len(second["message"]) < 400) == (((0, 2),), True)
