"""UIMA CAS as INCEpTION exports it: layers, relations, links and archives."""

import sys
import tracemalloc
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from cassis import Cas, TypeSystem
from tool_files import make_cas

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import DOC_NAME, guess_format, read

DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
METADATA = f"{DKPRO}.metadata.type.DocumentMetaData"
TEXT = "😀 severe joint and shoulder pain"
FOUND = [(1, "ADE", 2, 14), (2, "ADE", 28, 32), (3, "ADE", 19, 32)]
LINKS = [(1, 2, "fragment"), (1, 3, "other")]
EXPECTED = [("ADE", "severe joint pain"), ("ADE", "shoulder pain")]


@pytest.fixture
def folder(tmp_path):
    cas = make_cas(TEXT, FOUND, LINKS)
    cas.to_json(tmp_path / "a.json")
    (tmp_path / "x").mkdir()
    cas.to_xmi(tmp_path / "x/a.xmi")
    cas.typesystem.to_xml(tmp_path / "x/TypeSystem.xml")
    for name in ("a", "INITIAL_CAS"):
        with ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.write(tmp_path / "x/a.xmi", "a.xmi")
            archive.write(tmp_path / "x/TypeSystem.xml", "TypeSystem.xml")
    return tmp_path


@pytest.mark.parametrize(("name", "n_docs"), [("a.json", 1), ("a.zip", 1), ("x", 1), (".", 3)])
def test_files_folders_and_archives(folder, report, name, n_docs):
    # unannotated documents are skipped
    assert guess_format(folder / name) == "cas"
    docs = list(read(folder / name, report=report))
    assert [(doc.text, doc.user_data[DOC_NAME]) for doc in docs] == [(TEXT, "a")] * n_docs
    assert all([(e.label_, e.text) for e in get_entities(doc)] == EXPECTED for doc in docs)
    assert report.counts("dropped") == {"relation": n_docs}


def test_layers_and_links(tmp_path, report):
    types = TypeSystem()
    entity = types.create_type(f"{DKPRO}.ner.type.NamedEntity")
    meta = types.create_type(METADATA)
    token = types.create_type(f"{DKPRO}.segmentation.type.Token")
    link = types.create_type("webanno.custom.AdePartsLink", "uima.cas.TOP")
    ade, part = (types.create_type(f"webanno.custom.{name}") for name in ("Ade", "PartLink"))
    of_document = "uima.cas.AnnotationBase"
    chain = types.create_type("webanno.custom.PartChain", of_document)
    about = types.create_type("webanno.custom.About", of_document)
    strings = [(entity, "value"), (entity, "identifier"), (meta, "documentTitle"), (link, "role")]
    strings += [(part, "referenceRelation"), (part, "referenceType")]
    features = [(ade, "sure", "Boolean"), (ade, "score", "Double"), (ade, "many", "StringArray")]
    for made, name, kind in [*((*pair, "String") for pair in strings), *features]:
        types.create_feature(made, name, f"uima.cas.{kind}")
    types.create_feature(link, "target", "uima.tcas.Annotation")
    types.create_feature(chain, "first", part)
    types.create_feature(part, "next", part)
    types.create_feature(ade, "parts", "uima.cas.FSArray", elementType=link.name)
    cas = Cas(types)
    cas.sofa_string, cas.sofa_mime = TEXT, "text/plain"
    end = ade(begin=28, end=32)
    array = types.get_type("uima.cas.FSArray")(elements=[link(role="fragment", target=end)])
    many = types.get_type("uima.cas.StringArray")(elements=["a", "b"])
    start = ade(begin=2, end=14, parts=array, sure=True, score=0.5, many=many)
    cas.add_all([token(begin=2, end=8), end, start])
    cas.add_all([entity(begin=9, end=14, value="Part", identifier="x:1")])
    cas.add(meta(begin=0, end=len(TEXT), documentTitle="post 1.txt"))
    last = part(begin=28, end=32, referenceType="Loss")
    values = {"referenceType": "Loss", "next": last, "referenceRelation": "fragment"}
    cas.add_all([last, first := part(begin=19, end=27, **values), chain(first=first), about()])
    cas.to_json(tmp_path / "admin.json")
    (doc,) = read(tmp_path, report=report)
    # without the ending of the imported file
    assert doc.user_data[DOC_NAME] == "post 1"
    assert [(e.label_, e.text, e.attrs.get("_")) for e in get_entities(doc)] == [
        ("Ade", "severe joint pain", {"sure": True, "many": ("a", "b")}),
        ("Part", "joint", None),
        ("Loss", "shoulder pain", None),
    ]
    found = [(e.score, e.kb_id_) for e in get_entities(doc)]
    assert found == [(0.5, ""), (None, "x:1"), (None, "")]
    assert report.counts("dropped") == {"annotation of the document": 1}


def test_missing_type_system(folder, report):
    (folder / "x/TypeSystem.xml").unlink()
    (doc,) = read(folder / "x", report=report)
    assert [(e.label_, e.text) for e in get_entities(doc)] == EXPECTED
    assert report.counts("repaired") == {"missing type system": 1}


def test_annotations_without_offsets_and_type_system(write, report):
    sofa = '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="joint pain"/>'
    part = '<custom:Part xmi:id="3" sofa="1" begin="0" end="5" value="Joint"/>'
    found = f'{sofa}<custom:About xmi:id="2" sofa="1" author="me"/>{part}'
    view = '<cas:View sofa="1" members="2 3"/>'
    names = 'xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///custom.ecore"'
    xmi = f'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" {names}>{found}{view}</xmi:XMI>'
    (doc,) = read(write({"a.xmi": xmi}), report=report)
    assert [(e.label_, e.text) for e in get_entities(doc)] == [("Joint", "joint")]
    assert report.counts("dropped") == {"annotation of the document": 1}


def test_unreadable_files(folder, report, monkeypatch):
    (folder / "b.json").write_text('{"%TYPES": 1}')
    (folder / "b.zip").write_bytes((folder / "a.zip").read_bytes()[:300])
    # the offset of the central directory is damaged
    raw = bytearray((folder / "a.zip").read_bytes())
    raw[-6:-2] = b"\xff\xff\xff\x7f"
    (folder / "c.zip").write_bytes(raw)
    with ZipFile(folder / "d.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("a.xmi", bytes(101 << 20))
    with ZipFile(folder / "e.zip", "w") as archive:
        archive.writestr("a.ann", "")
    for name, message in (
        *((name, "is not valid UIMA CAS") for name in ("b.json", "b.zip", "c.zip")),
        ("d.zip", "contains 101 MB, more than 100 MB. Unpack it first."),
        ("e.zip", r"exactly one"),
    ):
        with pytest.raises(GapDNERError, match=message):
            list(read(folder / name, "cas", report=report))
    monkeypatch.setitem(sys.modules, "cassis", None)
    with pytest.raises(GapDNERError, match=r"needs cassis: pip install 'spacy-gapdner\[cas"):
        list(read(folder / "a.json", report=report))


def test_zip_with_an_understated_size(tmp_path, report):
    path = tmp_path / "a.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("a.xmi", bytes(50 << 20))
    raw = bytearray(path.read_bytes())
    size = raw.rindex(b"PK\1\2") + 24
    raw[size : size + 4] = (1000).to_bytes(4, "little")
    path.write_bytes(raw)
    tracemalloc.start()
    try:
        with pytest.raises(GapDNERError, match="is not valid UIMA CAS"):
            list(read(path, "cas", report=report))
        assert tracemalloc.get_traced_memory()[1] < 25 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("title", ["a.txt", "Some title"])
def test_annotators_of_a_project(tmp_path, report, title):
    cas = make_cas(TEXT, FOUND, [])
    meta = cas.typesystem.create_type(METADATA)
    cas.typesystem.create_feature(meta, "documentTitle", "uima.cas.String")
    cas.add(meta(documentTitle=title))
    for name in ("annotation/a.txt/ann", "annotation/a.txt/bob", "curation/a.txt/CURATION_USER"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        cas.to_json(tmp_path / f"{name}.json")

    # the other files of a project are not documents
    for name in ("exportedproject.json", "source/a.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")

    def names(**options):
        return [d.user_data[DOC_NAME] for d in read(tmp_path, report=report, **options)]

    # the ending of the imported file is not a part of the name
    stem = title.removesuffix(".txt")
    assert names() == [f"{stem}-{name}" for name in ("ann", "bob", "CURATION_USER")]
    assert report.counts("kept") == {"text that appears more than once": 2}
    assert names(annotator="CURATION_USER") == [stem]
    with pytest.raises(GapDNERError, match=r"no annotator 'x'\. Choose CURATION_USER, ann, bob"):
        names(annotator="x")
    # only the folder of the document, which has the complete name
    (tmp_path / "x/a.txt").mkdir(parents=True)
    cas.to_json(tmp_path / "x/a.txt/ann.json")
    (doc,) = read(tmp_path / "x", report=report)
    assert doc.user_data[DOC_NAME] == ("a-ann" if stem == "a" else title)
    for names_in_zip in (["exportedproject.json"], ["a/ann.json", "b/ann.json"]):
        with ZipFile(tmp_path / "a.zip", "w") as archive:
            for name in names_in_zip:
                archive.write(tmp_path / "annotation/a.txt/ann.json", name)
        with pytest.raises(GapDNERError, match=r"exactly one .* Unpack projects"):
            list(read(tmp_path / "a.zip", "cas"))
