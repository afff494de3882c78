import json

import pytest

from project.paper.expectations import (
    CORPORA,
    FIGURES,
    compare_figures,
    get_figures,
)
from spacy_gapdner.analysis.statistics import CorpusStatistics
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import Place, Report


def value(corpus, part, name):
    found = [f.value for f in FIGURES if f[:3] == (corpus, part, name)]
    return found[0] if found else None


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("name", ["documents", "sentences", "entities", "discontinuous"])
def test_parts_add_up_to_table_1(corpus, name):
    parts = [value(corpus, part, name) for part in ("train", "dev", "test")]
    if None in parts:
        assert (corpus, name) == ("share14", "discontinuous")
    else:
        assert sum(parts) == value(corpus, "all", name)


@pytest.mark.parametrize("corpus", CORPORA)
def test_percentages_of_table_1(corpus):
    share = value(corpus, "all", "discontinuous") / value(corpus, "all", "entities")
    assert round(100 * share, 2) == value(corpus, "all", "discontinuous percent")


def as_published():
    """Counts and report of a complete CADEC."""
    statistics = CorpusStatistics(docs=1249, sentences=7597, tokens=122938)
    statistics.names = {str(i) for i in range(1249)}
    statistics.entities, statistics.discontinuous = 6318, 679
    statistics.labels["ADR"] = 6318
    statistics.gap_lengths.update([1, 5, 13])
    report = Report()
    report.add("kept", "document without text", "", Place())
    for kind, n in (("surface text differs", 46), ("boundary moved to whole tokens", 4)):
        for _ in range(n):
            report.add("repaired", kind, "", Place())
    return statistics, report


def test_all_the_same():
    found = compare_figures("cadec", None, *as_published())
    assert [(c.name, c.found) for c in found if c.result != "same"] == []
    assert [(c.name, c.expected) for c in found] == [
        ("documents", 1250),
        ("sentences", 7597),
        ("entities", 6318),
        ("discontinuous", 679),
        ("discontinuous percent", 10.75),
        ("gap length", "1-13"),
        ("tokens", 122938),
        ("surface texts that differ", 46),
        ("boundaries moved", 4),
        ("dropped across sentences", 0),
    ]
    assert {c.hint for c in found} == {""}
    assert json.loads(json.dumps(found[0].to_dict())) == {
        "name": "documents",
        "expected": 1250,
        "found": 1250,
        "result": "same",
        "source": "GapDNER paper, Table 1",
        "hint": "",
    }


@pytest.mark.parametrize(
    ("corpus", "part", "name"),
    [
        ("craft", None, "craft:"),
        ("CADEC", None, "CADEC: choose cadec"),
        ("cadec", "half", "cadec half:"),
    ],
)
def test_no_figures(corpus, part, name):
    with pytest.raises(GapDNERError, match=f"no published figures on {name}"):
        get_figures(corpus, part)
