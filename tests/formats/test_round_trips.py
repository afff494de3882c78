"""From Docs to files in each format and back."""

from dataclasses import replace
from pathlib import Path

import pytest
from odd_texts import NOT_IN_XML, ODD_TEXTS
from spacy.tokens import Doc

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, FORMATS, NOWHERE, Report, convert, read, write
from spacy_gapdner.formats.bioc import to_xml_text
from spacy_gapdner.formats.files import hide_bom
from spacy_gapdner.formats.registry import names_of

# attrs of entities and the names of their attributes, and the name and text of documents
TEXTS = {"id", "kb_id", "kb_name", "score", "certainty", "note", "name", "text"}
ALL = TEXTS | {"list", "count"}
KEPT = {
    ("jsonl", "a.jsonl"): ALL,
    ("spacy", "a.spacy"): ALL,
    ("pubannotation", "folder"): ALL,
    # the list is lost, and the count becomes a text
    ("bioc", "a.xml"): TEXTS,
    ("bioc", "a.json"): TEXTS,
    ("brat", "folder"): TEXTS,
    ("w2ner", "a.json"): set(),
    ("inline", "a.inline"): {"name"},
}
FIRST = {"id": "T7", "kb_id": "ICD:M25.5", "kb_name": "Joint pain"}
FIRST["_"] = {"certainty": "low", "note": "see\nbelow", "list": [1, "a"], "count": 2}
ENTITIES = [
    Entity("ADR", ((2, 4), (6, 7)), 0.912346, FIRST),
    Entity("ADR", ((2, 3), (5, 7)), 1.0, {"id": "T2"}),
    Entity("Part", ((3, 4),), 0.0, {"id": "T1"}),
    Entity("Part", ((3, 4), (5, 6)), None, {"id": "T3", "_": {"certainty": "high"}}),
]


@pytest.mark.parametrize(("name", "file"), KEPT)
def test_supported_values_are_kept(name, file, nlp, tmp_path):
    kept = KEPT[name, file]
    docs = [nlp("He had severe joint and shoulder pain . Nothing more ."), nlp("No .")]
    set_entities(docs[0], ENTITIES)
    for doc, doc_name in zip(docs, ("part/one", "two"), strict=True):
        doc.user_data[DOC_NAME] = doc_name
    write(docs, tmp_path / file, name, report=Report())
    found = list(read(tmp_path / file, name, nlp=nlp, report=Report()))
    assert [e.to_entity() for e in get_entities(found[0])] == ENTITIES
    for doc, back in zip(docs, found, strict=False):
        assert plain(back, kept) == plain(doc, kept)
    assert len(found) == (3 if name == "w2ner" else 2)


def test_ids_of_spans_are_written(nlp, tmp_path):
    doc = nlp("joint pain")
    set_entities(doc, [Entity("ADR", ((0, 2),), attrs={"kb_id": "Q1"})])
    # without the attrs of groups
    write(Doc(nlp.vocab).from_json(doc.to_json()), tmp_path / "a.jsonl")
    assert [e.kb_id_ for back in read(tmp_path / "a.jsonl") for e in get_entities(back)] == ["Q1"]


def plain(doc, kept):
    values = [{"name": doc.user_data[DOC_NAME], "text": doc.text}]
    for entity in get_entities(doc):
        values.append({**entity.attrs, **entity.attrs.get("_", {}), "score": entity.score})
    return [{key: value for key, value in of.items() if key in kept} for of in values]


@pytest.fixture(scope="module")
def odd_docs(nlp):
    """In each text, the first tokens are entities, and the first and last token are one."""
    docs = []
    for name, text in ODD_TEXTS.items():
        doc = nlp(text)
        n = len(doc)
        entities = [Entity("A", ((i, i + 1),)) for i in range(min(n, 20))]
        if n > 2:
            entities.append(Entity("B", ((0, 1), (n - 1, n))))
        set_entities(doc, entities)
        doc.user_data[DOC_NAME] = name
        docs.append(doc)
    return docs


@pytest.mark.parametrize(
    ("name", "file"),
    [*((name, f"a{FORMATS[name].ending}") for name in names_of("write")), ("bioc", "a.json")],
)
def test_entities_of_odd_texts_are_kept_or_reported(tmp_path, odd_docs, name, file):
    report = Report()
    write(odd_docs, tmp_path / file, name, report=report)
    if FORMATS[name].reader is None:
        assert (tmp_path / file).stat().st_size
        assert not report.issues
        return
    back = list(read(tmp_path / file, name, report=report))
    found = sum(len(get_entities(doc)) for doc in back)
    # only issues of entities
    dropped = [i for i in report.issues if i.action == "dropped" and i.offsets]
    assert found + len(dropped) == sum(len(get_entities(doc)) for doc in odd_docs)
    if name in ("w2ner", "inline"):
        # these formats only represent tokens
        words = [token.text for doc in odd_docs for token in doc if not token.text.isspace()]
        assert [token.text for doc in back for token in doc] == words
        return
    texts = {key: text for key, text in ODD_TEXTS.items() if name == "spacy" or text.strip()}
    if name == "brat":
        texts = {key: hide_bom(text) for key, text in texts.items()}
    if file.endswith(".xml"):
        texts = {key: to_xml_text(text, Report(), NOWHERE) for key, text in texts.items()}
        assert report.counts()["characters that XML does not allow"] == len(NOT_IN_XML)
    assert {doc.user_data[DOC_NAME]: doc.text for doc in back} == texts


# boundaries inside tokens, before and after a hyphen, next to each other, and of combining marks
TEXT = (
    "No rpsL-mutant, kinaseB. pH>6,5 rose.\r\n\r\n"
    "NEITHER (p53)/p21-null nor wild-type\u2013cells.\n"
    "Knieschmerzen, 😀 cafe\u0301s and दर्दनाक pains.\n"
)
WORDS = ("rpsL", "mutant", "kinase", "pH", "6,5", "p53", "p21", "null", "wild", "cells", "Knie")
WORDS += ("schmerzen", "caf", "e\u0301s", "दर्द", "NEIT", "HER")


def ann():
    found = [(TEXT.index(word), word) for word in WORDS]
    lines = []
    # the entities are in the order of their ids, which is not that of the text
    for number, (start, word) in enumerate(sorted(found, reverse=True), start=1):
        lines.append(f"T{number}\tSign {start} {start + len(word)}\t{word}\n")
        if word == "null":
            lines.append(f"A1\tNegation T{number}\nA2\tGrade T{number} 3\n")
        if word == "cells":
            lines.append(f"N1\tReference T{number} CL:0\tcell\n#1\tAnnotatorNotes T{number}\tx\n")
    first, last = TEXT.index("p53"), TEXT.index("cells")
    lines.append(f"T90\tCell {first} {first + 3};{last} {last + 5}\tp53 cells\n")
    lines += ["R1\tCauses Arg1:T1 Arg2:T90\n", "*\tEquiv T2 T3\n", "E1\tSign:T4 Theme:T90\n"]
    return "".join(lines)


def test_brat_is_copied_byte_for_byte(tmp_path):
    for name, text in (("b/x", TEXT), ("a", "Rash"), ("b/y", TEXT.replace("\r", ""))):
        file = tmp_path / "in" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        moved = len(text) < len(TEXT) and name == "b/y"
        file.with_suffix(".ann").write_text("" if moved or name == "a" else ann())
    report = convert(tmp_path / "in", tmp_path / "out", strict=True)
    assert not report.issues
    files = [f for f in (tmp_path / "in").rglob("*.*") if f.is_file()]
    assert len(files) == 6
    for file in files:
        copy = tmp_path / "out" / file.relative_to(tmp_path / "in")
        assert copy.read_bytes().splitlines() == file.read_bytes().splitlines()


# as annotation tools write lines: in the order of the edits, with missing numbers
MIXED = (
    "T5\tGene 3 7\trpsL\n"
    "A7\tNegation T5\n"
    "R2\tCauses Arg1:T2 Arg2:T5\t\n"
    "#3\tAnnotatorNotes T2\tlater\n"
    "T2\tProtein 16 22;50 53\tkinase p53\n"
    "E1\tGene:T5 Theme:T2\n"
    "M4\tSpeculation T2\n"
    "*\tEquiv T2 T5\n"
    "N9\tReference T5 NCBI:94\trpsL\n"
    "#8\tAnnotatorNotes T2\tscore: 0.500000\n"
    "A1\tNegation E1\n"
    "A9\tGrade T5 3\n"
    "*\tEquiv T5 T2\n"
)


@pytest.fixture
def mixed(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/x.txt").write_bytes(TEXT.encode())
    (tmp_path / "in/x.ann").write_text(MIXED)
    return tmp_path / "in"


def test_lines_of_brat_keep_their_order_and_ids(mixed, tmp_path):
    convert(mixed, tmp_path / "out", strict=True)
    assert (tmp_path / "out/x.ann").read_text() == MIXED
    # through Python and a .spacy file
    write(read(mixed, alignment="split"), tmp_path / "a.spacy")
    write(read(tmp_path / "a.spacy"), tmp_path / "again", "brat")
    assert (tmp_path / "again/x.ann").read_text() == MIXED


def test_changes_of_entities_keep_other_lines_of_brat(mixed, tmp_path):
    (doc,) = read(mixed, alignment="split")
    (gene, protein) = (entity.to_entity() for entity in get_entities(doc))
    gene.attrs["_"]["New"] = True
    set_entities(doc, [Entity("Other", ((1, 2),), attrs={"_": {"Negation": True}}), gene, protein])
    write(doc, tmp_path / "out", "brat")
    added = "A10\tNew T5\nT1\tOther 3 7\trpsL\nA11\tNegation T1\n"
    assert (tmp_path / "out/x.ann").read_text() == MIXED + added
    set_entities(doc, [replace(gene, attrs={"id": "T5"})])
    report = Report()
    write(doc, tmp_path / "out", "brat", report=report)
    assert (tmp_path / "out/x.ann").read_text() == MIXED.splitlines(keepends=True)[0]
    assert report.counts("dropped") == {"relation": 1, "event": 1, "equivalence": 2, "attribute": 1}


@pytest.mark.parametrize("name", ["a.jsonl", "bioc.json", "bioc.xml", "pubannotation"])
def test_no_boundary_moves_between_text_formats(tmp_path, name):
    (tmp_path / "in").mkdir()
    # XML and JSON cannot store relations
    lines = [line for line in ann().splitlines(keepends=True) if line[0] not in "RE*"]
    (tmp_path / "in/x.txt").write_bytes(TEXT.encode())
    (tmp_path / "in/x.ann").write_text("".join(lines))
    to = name.split(".")[0] if name[0] in "bp" else None
    first = convert(tmp_path / "in", tmp_path / name, to=to, strict=True)
    again = convert(tmp_path / name, tmp_path / f"copy-{name}", to=to, strict=True)
    second = convert(tmp_path / name, tmp_path / "out", to="brat", strict=True)
    for report in (first, again, second):
        assert not report.counts("dropped") + report.counts("repaired")
    assert (tmp_path / "out/x.txt").read_bytes() == TEXT.encode()
    assert (tmp_path / "out/x.ann").read_text() == "".join(lines)
    files = sorted(f for f in [tmp_path / name, *(tmp_path / name).rglob("*")] if f.is_file())
    for file in files:
        copy = Path(str(file).replace(name, f"copy-{name}", 1))
        assert copy.read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("file", "is_moved"),
    [("a.spacy", True), ("a.json", True), ("a.inline", True), ("a.csv", False)],
)
def test_tokens_for_training_are_those_of_the_tokenizer(tmp_path, file, is_moved):
    (tmp_path / "x.txt").write_text("rpsL-mutant, kinaseB.")
    (tmp_path / "x.ann").write_text("T1\tGene 13 19\tkinase\n")
    report = convert(tmp_path / "x.txt", tmp_path / "out" / file)
    moved = report.counts()["boundary moved to a token boundary"]
    assert moved == is_moved
    # the user can choose
    report = convert(tmp_path / "x.txt", tmp_path / "out" / file, alignment="split")
    assert not report.counts("repaired")
