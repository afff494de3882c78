"""UIMA CAS as WebAnno exports it: the types of entities, repeated ids, and XML 1.1."""

import pytest

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import Report, guess_format, read

TEXT = "Mild renal, biliary or gastric pain in 2019."
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" '
    'xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" '
    'xmlns:ner="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore" xmi:version="2.0">'
)
LAYERS = {
    "webanno.custom.Finding": ("grade", "code"),
    "webanno.custom.Time": ("kind", "value"),
    "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity": ("value", "remark", "identifier"),
}
FINDINGS = (
    '<custom:Finding xmi:id="2" sofa="9" begin="5" end="10" grade="low" code="K7"/>'
    '<custom:Finding xmi:id="3" sofa="9" begin="12" end="19" code="K8"/>'
    '<custom:Finding xmi:id="4" sofa="9" begin="23" end="35"/>'
)
TIME = '<custom:Time xmi:id="5" sofa="9" begin="39" end="43" kind="date" value="2019-XX"/>'
NAMES = (
    '<ner:NamedEntity xmi:id="6" sofa="9" begin="0" end="4" remark="ask Bo"/>'
    '<ner:NamedEntity xmi:id="7" sofa="9" begin="23" end="30" value="ORGAN" remark="ok"/>'
)


def type_system():
    types = []
    for name, features in LAYERS.items():
        declared = "".join(
            f"<featureDescription><name>{feature}</name><description/><rangeTypeName>"
            "uima.cas.String</rangeTypeName></featureDescription>"
            for feature in features
        )
        types.append(
            f"<typeDescription><name>{name}</name><description/><supertypeName>"
            f"uima.tcas.Annotation</supertypeName><features>{declared}</features></typeDescription>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><typeSystemDescription '
        'xmlns="http://uima.apache.org/resourceSpecifier"><types>'
        f"{''.join(types)}</types></typeSystemDescription>"
    )


def xmi(*annotations, text=TEXT, members="2 3 4 5 6 7"):
    return (
        f'{HEAD}<cas:NULL xmi:id="0"/>{"".join(annotations)}<cas:Sofa xmi:id="9" sofaNum="1" '
        f'sofaID="_InitialView" mimeType="text" sofaString="{text}"/>'
        f'<cas:View sofa="9" members="{members}"/></xmi:XMI>'
    )


@pytest.fixture
def read_files(write, report):
    def read_all(*documents, ending="xmi", **options):
        files = {f"{number}.{ending}": document for number, document in enumerate(documents)}
        folder = write({**files, "TypeSystem.xml": type_system()})
        assert guess_format(folder) == "cas"
        return [
            [(e.label_, e.text, e.attrs.get("_", {})) for e in get_entities(doc)]
            for doc in read(folder, report=report, **options)
        ]

    return read_all


def messages(report, action):
    return [issue.message for issue in report.issues if issue.action == action]


def test_types_are_chosen_for_each_layer(read_files, report):
    (found,) = read_files(xmi(FINDINGS, TIME, NAMES))
    assert found == [
        ("Finding", "renal", {"grade": "low", "code": "K7"}),
        ("Finding", "biliary", {"code": "K8"}),
        ("ORGAN", "gastric", {"remark": "ok"}),
        ("Finding", "gastric pain", {}),
        # normalized dates are not types
        ("Time", "2019", {"kind": "date", "value": "2019-XX"}),
    ]
    assert messages(report, "chosen") == [
        "Finding (3): the name of the layer",
        "NamedEntity (2): the feature value",
        "Time (1): the name of the layer, because value has values such as '2019-XX'. "
        "To use them: --option type=value",
    ]
    (issue,) = (issue for issue in report.issues if issue.action == "dropped")
    assert (issue.kind, issue.offsets) == ("annotation without a type", ((0, 4),))
    assert issue.message == "NamedEntity has no value. See --option type=layer"
    assert report.entities == 6


@pytest.mark.parametrize(
    ("type", "labels"),
    [
        ("layer", ["NamedEntity", "Finding", "Finding", "NamedEntity", "Finding", "Time"]),
        # the others are counted
        ("code", ["K7", "K8", "ORGAN", "Time"]),
        ("value", ["Finding", "Finding", "ORGAN", "Finding", "2019-XX"]),
    ],
)
def test_types_that_the_user_chooses(read_files, report, type, labels):
    (found,) = read_files(xmi(FINDINGS, TIME, NAMES), type=type)
    assert [label for label, *_ in found] == labels
    assert report.counts("dropped").total() == 6 - len(labels)


def test_types_are_chosen_for_all_documents_together(read_files, report):
    size = '<custom:Time xmi:id="5" sofa="9" begin="39" end="43" value="{}"/>'
    one, two = xmi(size.format("Year"), members="5"), xmi(size.format("P2D"), members="5")
    other = xmi(size.format("P3D"), members="5")
    assert [[label for label, *_ in doc] for doc in read_files(one, one)] == [["Year"]] * 2
    report.issues.clear()
    assert [[label for label, *_ in doc] for doc in read_files(one, two, other)] == [["Time"]] * 3


def test_many_values_are_not_types(read_files, report):
    names = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
    part = '<custom:Time xmi:id="{}" sofa="9" begin="39" end="43" value="{}"/>'
    # a large set of types is used often
    for used, labels in (
        (names[:50], set(names[:50])),
        (names[:51], {"Time"}),
        (names[:51] * 10, set(names[:51])),
    ):
        times = [part.format(100 + i, name) for i, name in enumerate(used)]
        members = " ".join(str(100 + i) for i in range(len(used)))
        (found,) = read_files(xmi(*times, members=members))
        assert {label for label, *_ in found} == labels


def test_named_entities_always_have_their_value(read_files):
    (found,) = read_files(xmi(NAMES.replace("ORGAN", "C16.9"), members="6 7"))
    assert [label for label, *_ in found] == ["C16.9"]


def test_unknown_feature(read_files):
    with pytest.raises(GapDNERError, match=r"no layer with the string feature 'size': code, grade"):
        read_files(xmi(FINDINGS), type="size")


def test_repeated_ids(read_files, report):
    repeated = NAMES.replace("remark", "value", 1).replace('id="7"', 'id="6"')
    # the sofa has the same id as well
    repeated = repeated.replace('id="6"', 'id="9"')
    later = FINDINGS
    (found,) = read_files(xmi(later, repeated, members="2 3 4 9 9 77"))
    assert [(label, text) for label, text, _ in found] == [
        ("ask Bo", "Mild"),
        ("Finding", "renal"),
        ("Finding", "biliary"),
        ("ORGAN", "gastric"),
        ("Finding", "gastric pain"),
    ]
    assert messages(report, "repaired") == ["2 annotations have the id 9, and get different ids"]
    assert messages(report, "kept") == ["1 in the index of the file, such as 77"]


def test_repeated_ids_in_json(write):
    structures = '[{"%ID": 1, "%TYPE": "x"}, {"%ID": 1, "%TYPE": "x"}]'
    path = write({"a.json": f'{{"%TYPES": {{}}, "%FEATURE_STRUCTURES": {structures}}}'}) / "a.json"
    with pytest.raises(GapDNERError, match="several annotations with the %ID 1"):
        list(read(path, report=Report()))


def test_xml_1_1_and_the_ending_xml(read_files, report):
    document = xmi(FINDINGS, members="2 3 4", text=TEXT.replace(" renal", "&#x1;renal"))
    (found,) = read_files(document.replace('version="1.0"', 'version="1.1"', 1), ending="xml")
    assert [text for _, text, _ in found] == ["renal", "biliary", "gastric pain"]
    (issue,) = (issue for issue in report.issues if issue.action == "repaired")
    assert (issue.kind, issue.message[-11:]) == ("XML 1.1 read as XML 1.0", "replaced: 1")


def test_annotations_of_the_document(read_files, report):
    empty = '<custom:Finding xmi:id="8" sofa="9" begin="0" end="0" grade="all"/>'
    (found,) = read_files(xmi(FINDINGS, empty, members="2 3 4 8"))
    assert len(found) == 3
    assert report.counts("dropped") == {"annotation of the document": 1}


LINKED = (
    '<custom:Finding xmi:id="2" sofa="9" begin="5" end="10" parts="20" codes="20 7" level=""/>'
    '<custom:Finding xmi:id="3" sofa="9" begin="31" end="35" parts=""><names>a</names>'
    "</custom:Finding>"
    '<custom:FindingPartsLink xmi:id="20" role="fragment" target="3"/>'
    '<custom:Finding xmi:id="4" sofa="9" begin="12" end="19" level="3"/>'
)


def test_features_without_a_type_system(write, report):
    # WebAnno's files can have the ending .xml
    path = write({"a.xml": xmi(LINKED, NAMES, members="2 3 4 6 7")}) / "a.xml"
    assert guess_format(path) == "cas"
    (doc,) = read(path, report=report)
    assert [(e.label_, e.text, e.attrs.get("_", {})) for e in get_entities(doc)] == [
        ("Finding", "renal pain", {"codes": "20 7", "names": ("a",)}),
        ("Finding", "biliary", {"level": "3"}),
        ("ORGAN", "gastric", {"remark": "ok"}),
    ]
    assert report.counts("dropped") == {"annotation without a type": 1}
