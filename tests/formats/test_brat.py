"""brat standoff: entities, their attributes and notes, written files, and relations."""

import time

import pytest

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.apps.annotate.store import Texts
from spacy_gapdner.entities.attributes import remove_extension
from spacy_gapdner.formats import DOC_NAME, NOWHERE, Report, convert, read_brat
from spacy_gapdner.formats import read as read_docs
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.brat_lines import keep_relations, parse_entity
from spacy_gapdner.formats.records import ACROSS, UNSTORED, BratLine

TEXT = "severe joint and shoulder pain"
ENTITY = "T3\tADR 0 12;26 30\tsevere joint pain\n"


@pytest.fixture
def read(write, report):
    def read_record(ann, text=TEXT):
        (record,) = read_brat(write({"a.txt": text, "a.ann": ann}), report)
        return record

    return read_record


def test_entities_and_relations(read, report):
    ann = (
        "T1\tADR 0 12;26 30\tsevere joint pain\n"
        "T2\tAdverse Reaction 0 6;17 30\tsevere shoulder pain\r\n"
        "R1\tRel Arg1:T1 Arg2:T2\nE1\tADR:T1\n*\tEquiv T1 T2\n\n# a comment\n"
    )
    record = read(ann)
    assert (record.name, record.text) == ("a", TEXT)
    assert [(e.id, e.label, e.fragments, e.place.line) for e in record.entities] == [
        ("T1", "ADR", ((0, 12), (26, 30)), 1),
        ("T2", "Adverse Reaction", ((0, 6), (17, 30)), 2),
    ]
    lines = [(line.text[0], line.place.line) for line in record.relations]
    assert lines == [("R", 3), ("E", 4), ("*", 5)]
    assert report.issues == []


@pytest.mark.parametrize(
    ("text", "offsets", "expected", "kinds"),
    [
        # a line ending counts as one character
        ("joint\r\npain", "6 10", (6, 10), {"line endings CRLF -> LF": 1}),
        ("joint\r\npain", "7 11", (7, 11), {}),
        # code points, with and without the byte order mark
        ("\ufeff𝒳-ray pain", "6 10", (6, 10), {}),
        ("\ufeff𝒳-ray pain", "7 11", (7, 11), {}),
        # code units of JavaScript and Java
        ("𝒳-ray pain", "7 11", (6, 10), {"offsets in UTF-16": 1}),
        ("\ufeff𝒳-ray pain", "8 12", (7, 11), {"offsets in UTF-16": 1}),
        ("𝒳𝒳\r\npain", "5 9", (3, 7), {"line endings CRLF -> LF": 1, "offsets in UTF-16": 1}),
        # the mark is not a part of the first token
        ("\ufeffpain", "1 5", (1, 5), {}),
    ],
)
def test_offset_counting(read, report, text, offsets, expected, kinds):
    record = read(f"\ufeffT1\tADR {offsets}\tpain\n", text)
    assert [e.fragments for e in record.entities] == [(expected,)]
    assert record.text[slice(*expected)] == "pain"
    assert "\ufeff" not in record.text
    assert report.counts() == kinds


def test_a1_and_a2_in_folders(write, report):
    files = {"b/x.1.a1": "T1\tProtein 0 6\tsevere\n", "b/x.1.a2": "T2\tTrigger 7 12\tjoint\n"}
    files |= {"b/x.1.txt": TEXT, "a.txt": "none", ".cache/c.ann": "junk", "a.zip": "PK"}
    records = list(read_brat(write(files), report))
    found = [(r.name, [e.label for e in r.entities]) for r in records]
    assert found == [("a", []), ("b/x.1", ["Protein", "Trigger"])]
    assert report.counts() == {"no annotation file": 1}
    with pytest.raises(GapDNERError, match=r"a\.zip is not brat standoff. Use a folder"):
        list(read_brat(write({}) / "a.zip", report))


def test_annotate_escapes_names(tmp_path, report):
    for name in ("a.txt", "b\t.txt", "\udce9.txt"):
        (tmp_path / name).write_text("none")
        (tmp_path / name).with_suffix(".ann").touch()
    names = Texts(tmp_path).list()
    assert names == ["a", "b\\t", "\\udce9"]
    assert [r.name for r in read_brat(tmp_path, report, names[1:])] == ["b\t", "\udce9"]


def test_annotation_without_text(write, report):
    folder = write({"a.ann": "T1\tADR 0 4\tpain\n", "b.txt": "pain", "b.ann": ""})
    with pytest.raises(GapDNERError, match=r"a\.ann has no text\. Add .*a\.txt"):
        list(read_docs(folder, report=report))


def test_repeated_ids(write, report):
    lines = "T1\tADR 0 3\tBad\nT1\tADR 4 9\tjoint\nA1\tDoubt T1\n#1\tAnnotatorNotes T1\tsee\n"
    (doc,) = read_docs(write({"a.txt": "Bad joint", "a.ann": lines}), report=report)
    first, second = get_entities(doc)
    assert (first.text, first.id_, first.attrs["_"]) == (
        "Bad",
        "T1",
        {"Doubt": True, "note": "see"},
    )
    assert (second.text, second.id_, second.attrs) == ("joint", "", {})
    (issue,) = report.issues
    assert (issue.kind, issue.place.line) == ("repeated id", 2)
    assert issue.message == "ADR loses the id T1, which another entity has"


def test_attributes_of_entities(write, report):
    lines = (
        "A1\tNegation T3\nM2\tSpeculation T3\nA3\tCertainty T3 Low\nN1\tReference T3 ICD:M25.5\t"
        "Joint pain\n#1\tAnnotatorNotes T3\tsee below\n#2\tAnnotatorNotes T3\tand above\n"
    )
    other = "T4\tADR 0 12;26 30\t\nA4\tDoubt T4\n"
    (doc,) = read_docs(write({"a.txt": TEXT, "a.ann": ENTITY + lines + other}), report=report)
    (entity,) = get_entities(doc)
    assert (entity.id_, entity.kb_id_, entity.spans[0].kb_id_) == ("T3", "ICD:M25.5", "ICD:M25.5")
    assert (entity._.Negation, entity._.Speculation, entity._.Certainty) == (True, True, "Low")
    assert (entity._.note, entity.attrs["kb_name"]) == ("see below\nand above", "Joint pain")
    repeated = "ADR T4 repeats ADR T3, with other attributes"
    assert [issue.message for issue in report.issues] == [repeated]
    # the attributes of other entities have the default
    set_entities(doc, [Entity("ADR", ((0, 1),))])
    assert get_entities(doc)[0]._.Certainty is None
    for name in ("Negation", "Speculation", "Certainty", "note"):
        remove_extension(name)


def test_write(nlp, tmp_path, report):
    doc = nlp("severe joint and\nshoulder pain")
    attrs = {"id": "T3", "kb_id": "ICD:M25.5"}
    attrs["_"] = {"Negation": True, "Certainty": "Low", "off": False, "n": 2, "note": "a\nb"}
    part = Entity("Part", ((1, 2),), 0.91234567)
    others = [Entity("ADR", ((0, 1), (5, 6)), attrs={"id": "X1"}), part]
    set_entities(doc, [Entity("ADR", ((0, 2), (3, 5)), attrs=attrs), *others])
    doc.user_data[DOC_NAME] = "sub/../../b"
    assert write_docs([doc, doc, doc], tmp_path / "out", "brat", report=report) == 3
    texts = [f"out/sub/{name}.txt" for name in ("b", "b-2", "b-3")]
    files = {"out/annotation.conf", *texts, *(text.replace(".txt", ".ann") for text in texts)}
    assert {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*")} == files
    assert (tmp_path / "out/sub/b.txt").read_text() == "severe joint and\nshoulder pain"
    assert (tmp_path / "out/sub/b.ann").read_text() == (
        "T3\tADR 0 12;17 25\tsevere joint shoulder\n"
        "N1\tReference T3 ICD:M25.5\t\n"
        "A1\tNegation T3\nA2\tCertainty T3 Low\nA3\tn T3 2\n"
        "#1\tAnnotatorNotes T3\ta\n#2\tAnnotatorNotes T3\tb\n"
        "T1\tADR 0 6;26 30\tsevere pain\n"
        "T2\tPart 7 12\tjoint\n#3\tAnnotatorNotes T2\tscore: 0.912346\n"
    )
    assert (tmp_path / "out/annotation.conf").read_text() == (
        "[entities]\nADR\nPart\n\n[relations]\n# entities may overlap in any way\n"
        "<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>\n\n[events]\n\n[attributes]\n"
        "Certainty\tArg:<ENTITY>, Value:Low\nNegation\tArg:<ENTITY>\nn\tArg:<ENTITY>, Value:2\n"
    )
    renamed, issue, *_ = report.issues
    assert renamed.message == "'sub/../../b' is written as 'sub/b'"
    assert (issue.kind, issue.message) == ("ids replaced by T1, T2, ...", "'X1' -> T1")
    first = next(iter(read_docs(tmp_path / "out", report=report)))
    assert [entity.score for entity in get_entities(first)] == [None, None, 0.912346]
    # no name is invented
    assert get_entities(first)[0].attrs.keys() == {"id", "kb_id", "_"}
    assert "_" not in get_entities(first)[2].attrs
    assert report.counts("dropped") == {}


RELATED = "Severe pain after Lipitor. Rash after Zocor."
ENTITIES = (
    "T1\tADE 0 11\tSevere pain\nT2\tDrug 18 25\tLipitor\nT5\tADE 27 31\tRash\n"
    "T7\tDrug 38 43\tZocor\n"
)
FIRST = (
    "R1\tCauses Arg1:T2 Arg2:T1\t\n*\tOR T1 T2\nE1\tADE:T1 Theme:T2 Theme2:E3\nE3\tDrug:T2\n"
    "A1\tNegation E1\n#1\tAnnotatorNotes R1\tsure: T5\n"
)
SECOND = "R2\tCauses Arg1:T7 Arg2:T5\n"
BETWEEN = "R3\tBefore From:T1 To:T5\nE4\tADE:T5 Theme:E1\n#2\tAnnotatorNotes R3\tx\n"


@pytest.fixture
def brat(write):
    return write({"in/a.txt": RELATED, "in/a.ann": ENTITIES + FIRST + SECOND + BETWEEN}) / "in"


def lines_of(path):
    return sorted(line for line in path.read_text().splitlines(keepends=True) if line[0] != "T")


def test_documents_keep_all_relations_and_events(brat, tmp_path):
    first = convert(brat, tmp_path / "a.spacy", n_sents=0)
    second = convert(tmp_path / "a.spacy", tmp_path / "out")
    assert not first.issues + second.issues
    assert lines_of(tmp_path / "out/a.ann") == sorted((FIRST + SECOND + BETWEEN).splitlines(True))
    conf = (tmp_path / "out/annotation.conf").read_text()
    # the triggers of events are not entities
    assert conf.startswith(
        "[entities]\n\n[relations]\nBefore\tFrom:<ENTITY>, To:<ENTITY>\n"
        "Causes\tArg1:<ENTITY>, Arg2:<ENTITY>\n"
    )
    assert conf.endswith("[events]\nADE\tTheme*:<ANY>\nDrug\n\n[attributes]\nNegation\tArg:<ANY>\n")
    # an existing file is kept
    (tmp_path / "out/annotation.conf").write_text("[entities]\n")
    assert not convert(tmp_path / "a.spacy", tmp_path / "out").issues
    assert (tmp_path / "out/annotation.conf").read_text() == "[entities]\n"


def test_sentences_keep_their_own_relations_and_events(brat, tmp_path):
    report = convert(brat, tmp_path / "a.spacy")
    # also the note of a relation across Docs
    assert report.counts("dropped") == {ACROSS: 3}
    assert [(i.place.line, i.message.partition(":")[0]) for i in report.issues] == [
        (12, "relation"),
        (13, "event"),
        (14, "note"),
    ]
    convert(tmp_path / "a.spacy", tmp_path / "out")
    assert lines_of(tmp_path / "out/a.ann") == sorted(FIRST.splitlines(True))
    assert lines_of(tmp_path / "out/a-2.ann") == [SECOND]


def test_relations_and_events_without_entities_are_counted(brat, tmp_path):
    report = convert(brat, tmp_path / "out", types=("ADE",))
    # between T1 and T5, and its note
    note, relation = "#2\tAnnotatorNotes R3\tx\n", BETWEEN.splitlines(True)[0]
    assert lines_of(tmp_path / "out/a.ann") == [note, relation]
    dropped = {"relation": 2, "equivalence": 1, "event": 3, "attribute": 1, "note": 1}
    assert report.counts("dropped") == dropped
    assert "Arg1:T2 Arg2:T1\\t': it refers to 'T2', which is not in" in report.issues[0].message
    report = convert(brat, tmp_path / "a.jsonl")
    assert report.counts("dropped") == {UNSTORED: 10}


def test_every_line_of_an_entity_is_kept(brat_copy, report):
    text = "Severe pains"
    ann = (
        "T1\tADE 0 12\tSevere pains\n"
        "N1\tReference T1 ICD:R52\t\tPain \t x\n"
        "A1\tGrade T1 3\n"
        "#1\tAnnotatorNotes T1\tok\n"
        # attrs have no place for these lines
        "#2\tLemma T1\tsevere pain\n"
        "N2\tReference T1 MESH:D1\tPain\n"
        "A2\tGrade T1 4\n"
        "A3\tnote T1\n"
    )
    doc, written = brat_copy(text, ann)
    (entity,) = get_entities(doc)
    assert entity.attrs == {
        "id": "T1",
        "kb_id": "ICD:R52",
        # without tabs
        "kb_name": "Pain x",
        "_": {"Grade": "3", "note": "ok"},
    }
    assert written == ann.replace("\t\tPain \t x", "\tPain x")


def test_normalizations_of_bionlp(brat_copy, tmp_path, report):
    text = "Vibrio in pond and river mud."
    a1 = "T1\tMicrobe 0 6\tVibrio\nT2\tHabitat 10 14;25 28\tpond mud\n"
    a2 = (
        "N1\tTaxonomy Annotation:T1 Referent:662\n"
        "N2\tBiotope Annotation:T2 Referent:BT:7\n"
        "N3\tBiotope Annotation:T2 Referent:BT:8\n"
        "R1\tLives_In Microbe:T1 Place:T2\n"
    )
    doc, written = brat_copy(text, a1, a2)
    assert [(e.text, e.kb_id_) for e in get_entities(doc)] == [
        ("Vibrio", "662"),
        ("pond mud", "BT:7"),
    ]
    assert sorted(written.splitlines()) == sorted((a1 + a2).splitlines())
    # other formats store the first concept of each entity
    write_docs([doc], tmp_path / "a.jsonl", report=report)
    assert [issue.message for issue in report.issues] == [
        "normalization: cannot keep 'N3\\tBiotope Annotation:T2 Referent:BT:8'",
        "relation: cannot keep 'R1\\tLives_In Microbe:T1 Place:T2'",
    ]
    report.issues.clear()
    write_docs([doc], tmp_path / "a.json", report=report)
    assert report.counts()[UNSTORED] == 4


@pytest.fixture
def brat_copy(write, report):
    """Reads a document, and returns it and the lines in its copy in the order of the entity."""

    def copy(text, ann, a2=None):
        files = {"in/a.txt": text, "in/a.ann": ann} if a2 is None else {}
        files |= {} if a2 is None else {"in/a.txt": text, "in/a.a1": ann, "in/a.a2": a2}
        folder = write(files)
        (doc,) = read_docs(folder / "in", report=report)
        convert(folder / "in", folder / "out", strict=True)
        assert not report.issues
        return doc, (folder / "out/a.ann").read_text()

    return copy


def test_concept_that_brat_cannot_store(nlp, tmp_path, report):
    doc = nlp("pain")
    # brat requires RESOURCE:ID
    set_entities(doc, [Entity("ADE", ((0, 1),), attrs={"kb_id": "R52"})])
    write_docs([doc], tmp_path, "brat", report=report)
    assert [issue.message for issue in report.issues] == ["ADE 'pain' has ('kb_id', 'R52')"]


def test_documents_are_in_the_order_of_their_names(write, report):
    files = {"a/x.txt": "pain", "a/x.ann": "", "a-b/x.txt": "pain", "a-b/x.ann": ""}
    assert [record.name for record in read_brat(write(files), report)] == ["a-b/x", "a/x"]


@pytest.mark.parametrize(
    ("place", "label", "fragments", "surface"),
    [
        ("ADE 0 5\tpain", "ADE", ((0, 5),), "pain"),
        ("Grade 3 0 5;7 9 \t", "Grade 3", ((0, 5), (7, 9)), ""),
        ("x;y -1 5;7 9", "x;y", ((-1, 5), (7, 9)), None),
        # an odd number before the offsets, and a label that ends with a semicolon
        ("1 2 3", "1", ((2, 3),), None),
        ("x; 2 3", "x;", ((2, 3),), None),
        ("x 1;2 3", "x 1;", None, None),
        ("x 1 ; 2 3", "x 1 ;", ((2, 3),), None),
        ("ADE\t0 5\tpain", "ADE", ((0, 5),), "pain"),
        ("ADE\t0\t5\tpain\tmore", "ADE", ((0, 5),), "pain\tmore"),
        *(
            (place, "", None, None)
            for place in ("0 5", " ADE 0 5", "ADE 0", "ADE;0 5", "", "ADE 0 5x")
        ),
    ],
)
def test_places(place, label, fragments, surface):
    entity = parse_entity(BratLine(f"T1\t{place}", NOWHERE))
    if fragments is None:
        assert entity is None
    else:
        assert (entity.label, entity.fragments, entity.surface) == (label, fragments, surface)


@pytest.mark.parametrize("part", [" ", "0 1;", "1 ", "T1\t", "; ", "T1\tA 0 1"])
def test_long_lines_take_linear_time(write, report, part):
    def seconds(n):
        path = write({"a.txt": TEXT, "a.ann": f"{ENTITY}T1\tA 0 {part * n}x\n"})
        start = time.process_time()
        list(read_brat(path, Report()))
        return time.process_time() - start

    seconds(1000)
    few, many = (min(seconds(n) for _ in range(3)) for n in (10_000, 80_000))
    # 64 times as long if the time is quadratic
    assert many < 24 * few + 0.02


def test_long_chains(report):
    # in the worst order
    texts = [f"E{n}\tA:E{n - 1}" for n in range(20_000, 0, -1)]
    lines = [BratLine(text, NOWHERE) for text in texts]
    assert keep_relations(lines, {"E0": 0}, 1, report) == [texts]
    assert keep_relations(lines, {}, 1, report) == [[]]
    assert report.counts("dropped") == {"event": 20_000}
