import json
from collections import Counter

import pytest

from project.paper.expectations import (
    CORPORA,
    FIGURES,
    VARIANTS,
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


def test_figures_stand_once():
    for figures in (FIGURES, VARIANTS):
        keys = Counter(figure[:3] for figure in figures)
        assert set(keys.values()) == {1}
    assert all(figure.source for figure in FIGURES + VARIANTS)
    assert {v[:3] for v in VARIANTS} <= {f[:3] for f in FIGURES}


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


def test_without_a_report_some_are_not_known():
    statistics, _ = as_published()
    statistics.names = set()
    found = {c.name: (c.found, c.result) for c in compare_figures("cadec", None, statistics)}
    assert [name for name, (_, result) in found.items() if result != "same"] == [
        "documents",
        "surface texts that differ",
        "boundaries moved",
        "dropped across sentences",
    ]
    assert found["documents"] == (None, "not known")


def hint_of(name, corpus, part, statistics, report=None):
    (found,) = [c for c in compare_figures(corpus, part, statistics, report) if c.name == name]
    assert found.result == "differs"
    return found.hint


def test_hints():
    statistics, report = as_published()
    statistics.entities = 6316
    assert hint_of("entities", "cadec", None, statistics).startswith("the figure of W2NER and TOE")
    statistics.entities = 6000
    assert hint_of("entities", "cadec", None, statistics) == ""
    statistics.labels["Drug"] = 1
    assert hint_of("entities", "cadec", None, statistics) == "the figure is on ADR alone"
    statistics.discontinuous = 677
    assert hint_of("discontinuous", "cadec", None, statistics, report) == ""
    for _ in range(2):
        report.add("repaired", "fragments adjacent after tokenization", "", Place())
    assert hint_of("discontinuous", "cadec", None, statistics, report) == (
        "in 2 entities adjacent fragments were joined"
    )
    statistics.gap_lengths[14] = 1
    assert hint_of("gap length", "cadec", None, statistics) == ""
    statistics.gap_totals.update([1, 13])
    assert hint_of("gap length", "cadec", None, statistics) == (
        "the same if the gaps of an entity are added up"
    )
    statistics.names = {str(i) for i in range(433)}
    assert "paper of Dai" in hint_of("documents", "share14", None, statistics)
    statistics.sentences = 5444
    assert "TOE" in hint_of("sentences", "cadec", "train", statistics)


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("not the published split", "the list of documents is not the published one"),
        ("document missing", "documents of the list are missing"),
    ],
)
def test_hint_of_a_wrong_list(kind, hint):
    statistics, report = as_published()
    report.add("kept", kind, "", Place())
    assert hint_of("sentences", "cadec", "dev", statistics, report) == hint
    # a figure that is as published needs no explanation
    assert {c.hint for c in compare_figures("cadec", None, statistics, report)} == {""}


def test_empty():
    found = compare_figures("share13", "test", CorpusStatistics(), Report())
    assert {c.result for c in found} == {"differs", "not known"}
    assert [c.found for c in compare_figures("share14", None, CorpusStatistics())][-1] == "none"


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
