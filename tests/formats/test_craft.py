import os
from pathlib import Path

import pytest
from knowtator_files import HAIR_CELLS, TEXT, VERSION_2, version_1

from spacy_gapdner.analysis.statistics import stats
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import read_craft, to_docs


def fragments(record):
    return [(e.label, e.fragments) for e in record.entities]


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
    first, second = read_craft(craft, report)
    assert (first.name, first.split, second.name) == ("1", None, "2")
    assert fragments(first) == [
        ("CL", ((0, 4), (14, 19))),
        ("MONDO", ((0, 4), (14, 19))),
    ]
    assert [e.attrs for e in first.entities] == [{"kb_id": "CL:1"}, {"kb_id": "X:1"}]
    assert second.entities == ()
    assert report.counts("kept") == {"no annotation file": 1}


def test_craft_options(craft, report):
    (record,) = read_craft(craft, report, ontologies=("CL",), labels="class", split="train")
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
        list(read_craft(craft, report, **options))


def test_craft_options_elsewhere(write, report):
    path = write({"1.txt": TEXT, "1.xml": VERSION_2})
    with pytest.raises(GapDNERError, match=r"not the top folder of CRAFT.*the format knowtator"):
        list(read_craft(path, report, split="train"))


@pytest.mark.skipif("GAPDNER_CRAFT" not in os.environ, reason="GAPDNER_CRAFT names no CRAFT copy")
def test_real_craft(nlp, report):
    path = Path(os.environ["GAPDNER_CRAFT"])
    records = read_craft(path, report, ontologies=("CL", "GO_BP"), split="dev")
    found = stats(to_docs(records, nlp, report, n_sents=0))
    assert (found.docs, found.entities, found.discontinuous) == (7, 2236, 89)
    assert report.counts("dropped") == {}
