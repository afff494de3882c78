"""From Docs to files in each format and back."""

import pytest
from odd_texts import NOT_IN_XML, ODD_TEXTS
from spacy.tokens import Doc

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, FORMATS, NOWHERE, Report, read, write
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
