import pytest
from knowtator_files import HAIR_CELLS, TEXT, VERSION_2, fragments, version_1

from project.corpora.craft import read_craft
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import guess_format


@pytest.fixture
def craft(write):
    ontologies = "concept-annotation"
    return write(
        {
            "articles/txt/1.txt": TEXT,
            "articles/txt/2.txt": TEXT,
            "articles/ids/craft-ids-train.txt": "1\n9\n",
            "articles/ids/craft-ids-test.txt": "8\n",
            f"{ontologies}/CL/CL/knowtator/1.txt.knowtator.xml": version_1("1.txt", HAIR_CELLS),
            f"{ontologies}/CL/CL/knowtator/2.txt.knowtator.xml": version_1("2.txt"),
            f"{ontologies}/CL/CL+extensions/knowtator/1.txt.knowtator.xml": version_1("1.txt"),
            f"{ontologies}/MONDO/MONDO_with_genotype_annotations/knowtator-2/1.xml": "junk",
            f"{ontologies}/MONDO/MONDO_without_genotype_annotations/knowtator-2/1.xml": VERSION_2,
        }
    )


def test_craft(craft, report):
    assert guess_format(craft) == "craft"
    first, second = read_craft(craft, report)
    assert (first.name, second.name, second.entities) == ("1", "2", ())
    assert fragments(first) == [("CL", ((0, 4), (14, 19))), ("MONDO", ((0, 4), (14, 19)))]
    assert [e.attrs for e in first.entities] == [{"kb_id": "CL:1"}, {"kb_id": "X:1"}]
    assert report.counts("kept") == {"no annotation file": 1}


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
def test_bad_options(craft, report, options, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_craft(craft, report, **options))
