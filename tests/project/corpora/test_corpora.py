import pytest
from knowtator_files import HAIR_CELLS, TEXT, VERSION_2, fragments, version_1

from project.corpora.craft import read_craft
from project.corpora.knowtator import read_knowtator
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import guess_format, read

ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><annotations>&b;</annotations>'
EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><annotations>&a;</annotations>'
SEVERAL = VERSION_2.replace("</document>", '</document><document id="2"/>')
ROOT_CELLS = ("CL:2", [(9, 19)], "root cells")


def slot(kind, name, key, *values):
    values = "".join(f'<{kind}SlotMentionValue value="{value}"/>' for value in values)
    return f'<{kind}SlotMention id="{name}"><mentionSlot id="{key}"/>{values}</{kind}SlotMention>\n'


def test_version_1_with_slots(write, report):
    slots = [slot("string", "S1", "Associated CUI", "C1"), slot("boolean", "S2", "sure", "true")]
    slots += [slot("string", "S3", "sure", "false"), slot("string", "S4", "seen", "a", "b")]
    slots += [slot("complex", "S5", "part of", "I_1"), slot("string", "S6", "of nothing", "x")]
    has = "".join(f'<hasSlotMention id="S{number}"/>' for number in range(1, 6))
    xml = version_1("1.txt", HAIR_CELLS, ROOT_CELLS)
    xml = xml.replace("<mentionClass", f"{has}<mentionClass", 1)
    xml = xml.replace("</annotations>", f"{''.join(slots)}</annotations>")
    path = write({"txt/1.txt": TEXT, "ann/1.txt.knowtator.xml": xml})
    (record,) = read_knowtator(path, report)
    assert (record.name, record.text) == ("txt/1", TEXT)
    assert fragments(record) == [("CL:1", ((0, 4), (14, 19))), ("CL:2", ((9, 19),))]
    assert [entity.id for entity in record.entities] == ["I_0", "I_1"]
    values = {"Associated CUI": "C1", "sure": "true", "seen": ["a", "b"]}
    assert [entity.attrs for entity in record.entities] == [{"_": values}, {}]
    issues = [(i.kind, i.message.split()[2]) for i in report.issues]
    assert issues == [("attribute", "S3"), ("relation", "S5"), ("attribute", "S6")]


@pytest.mark.parametrize(
    ("annotations", "kind"),
    [
        ([("", [(0, 4)], "")], "annotation without class"),
        ([("X", [], "")], "annotation without span"),
        ([("X", [("a", 4)], "")], "invalid offsets"),
        ([HAIR_CELLS, HAIR_CELLS], "duplicate entity"),
    ],
)
def test_invalid_annotations_are_reported(write, report, annotations, kind):
    path = write({"1.txt": TEXT, "1.xml": version_1("1.txt", *annotations)})
    (record,) = read_knowtator(path, report)
    assert len(record.entities) == len(annotations) - 1
    (issue,) = report.issues
    assert (issue.action, issue.kind) == ("dropped", kind)
    assert str(issue.place).endswith("1.xml")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"1.xml": VERSION_2}, r"annotates 1\.txt, which is missing"),
        ({"1.xml": ""}, r"1\.xml cannot be read as XML: no element found: line 1"),
        ({"1.xml": ENTITIES}, "EntitiesForbidden"),
        ({"1.xml": EXTERNAL}, "EntitiesForbidden"),
        ({"1.xml": SEVERAL, "1.txt": TEXT}, r"1\.xml annotates several documents"),
        ({"1.xml": VERSION_2, "2.xml": VERSION_2, "1.txt": TEXT}, "second annotation file"),
        ({"c/1.xml": VERSION_2, "a/1.txt": TEXT, "b/1.txt": TEXT}, "there are 2 such files"),
    ],
)
def test_invalid_files(write, report, nlp, files, message):
    with pytest.raises(GapDNERError, match=message):
        list(read(write(files), "knowtator", nlp=nlp, report=report))


@pytest.fixture
def craft(write):
    articles = {"txt/1.txt": TEXT, "txt/2.txt": TEXT}
    articles |= {"ids/craft-ids-train.txt": "1\n9\n", "ids/craft-ids-test.txt": "8\n"}
    annotations = {
        "CL/CL/knowtator/1.txt.knowtator.xml": version_1("1.txt", HAIR_CELLS),
        "CL/CL/knowtator/2.txt.knowtator.xml": version_1("2.txt"),
        "CL/CL+extensions/knowtator/1.txt.knowtator.xml": version_1("1.txt"),
        "MONDO/MONDO_with_genotype_annotations/knowtator-2/1.xml": "junk",
        "MONDO/MONDO_without_genotype_annotations/knowtator-2/1.xml": VERSION_2,
    }
    write({f"articles/{name}": content for name, content in articles.items()})
    return write({f"concept-annotation/{name}": xml for name, xml in annotations.items()})


def test_craft(craft, report):
    assert guess_format(craft) == "craft"
    first, second = read_craft(craft, report)
    assert (first.name, second.name, second.entities) == ("1", "2", ())
    assert fragments(first) == [("CL", ((0, 4), (14, 19))), ("MONDO", ((0, 4), (14, 19)))]
    assert [e.attrs for e in first.entities] == [{"kb_id": "CL:1"}, {"kb_id": "X:1"}]
    assert [e.id for e in first.entities] == ["I_0", "a1"]
    counts = {"no annotation file": 1, "relation": 1, "fragments normalized": 1}
    assert report.counts() == counts


def test_options(craft, report):
    (record,) = read_craft(craft, report, ontologies="CL", labels="class", split="train")
    assert (record.name, fragments(record)) == ("1", [("CL:1", ((0, 4), (14, 19)))])
    assert report.counts("dropped") == {"article missing": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ontologies": "CL,GO"}, r"no ontology GO\. Use CL.*, MONDO"),
        ({"split": "test"}, "None of the 1 articles"),
        ({"split": "all"}, "Unknown split: 'all'"),
        ({"labels": "name"}, "Unknown labels: 'name'"),
    ],
)
def test_invalid_options(craft, report, options, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_craft(craft, report, **options))
