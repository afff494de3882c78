"""Linked regions: entities, shared regions, and counts of dropped annotation."""

import pytest

from spacy_gapdner.formats import Place
from spacy_gapdner.formats.linked_regions import LinkedRegions

# A = "severe joint", B = "shoulder", C = "pain", D = "rash"
TEXT = "severe joint, shoulder-pain, rash"
OFFSETS = {"A": (0, 12), "B": (14, 22), "C": (23, 27), "D": (29, 33)}


def make_draft(report, links, **labels):
    regions = LinkedRegions(Place("a.json", None, "d"), report)
    for name, pair in OFFSETS.items():
        regions.add(name, labels.get(name, "ADE"), [pair], name)
    for link in links:
        regions.link(*link)
    return regions


@pytest.mark.parametrize(
    ("links", "found"),
    [
        ("", ["A", "B", "C", "D"]),
        ("A-C", ["AC", "B", "D"]),
        # both have the last word
        ("A-C B-C", ["AC", "BC", "D"]),
        # a chain, a star, and a star of which the first fragment is not the first of the text
        ("A-B B-C", ["ABC", "D"]),
        ("A-B A-C", ["ABC", "D"]),
        ("C-A C-B", ["ABC", "D"]),
        # circles, and one that something leads into
        ("A-C C-A", ["AC", "B", "D"]),
        ("C-C", ["A", "B", "C", "D"]),
        ("B-A A-C C-A", ["ABC", "D"]),
    ],
)
def test_join(report, links, found):
    regions = make_draft(report, [("Fragment", *pair.split("-")) for pair in links.split()])
    joined = regions.to_record(TEXT).entities
    names = {offsets: name for name, offsets in OFFSETS.items()}
    assert sorted("".join(names[f] for f in e.fragments) for e in joined) == found
    assert not report.issues


def test_what_is_no_entity_is_counted(report):
    links = [("fragment", "A", "C"), ("fragment", "B", "x"), ("cause", "A", "D")]
    record = make_draft(report, links, C="Part").to_record(TEXT)
    assert [e.id for e in record.entities] == ["B", "D"]
    assert report.counts("dropped") == {
        "relation": 1,
        "fragment that is not a region with a type": 1,
        "fragments of different types": 1,
    }
    assert report.issues[-1].offsets == ((0, 12), (23, 27))


def test_regions_may_share_an_id_or_have_none(report):
    regions = LinkedRegions(Place("a.json", None, "d"), report)
    for name, pair in zip([None, "x", "x", None], OFFSETS.values(), strict=True):
        regions.add(name, "ADE", [pair], name)
    regions.link("fragment", "x", "x")
    found = sorted(entity.fragments for entity in regions.to_record(TEXT).entities)
    assert found == [(pair,) for pair in OFFSETS.values()]
    assert not report.issues


def test_offsets_of_a_browser(report):
    text = "😀 rash 😀 pain"
    for shift, n_repairs in ((0, 0), (1, 1)):
        regions = LinkedRegions(Place("a.json", None, "d"), report)
        regions.add("", "ADE", [(2 + shift, 6 + shift)], 1, "rash")
        regions.add("", "ADE", [(9 + 2 * shift, 13 + 2 * shift)], 2, "pain")
        record = regions.to_record(text)
        assert [text[a:b] for e in record.entities for a, b in e.fragments] == ["rash", "pain"]
        assert report.counts()["offsets in UTF-16"] == n_repairs


def test_long_chains(report):
    n = 40_000
    regions = LinkedRegions(Place("a.json", None, "d"), report)
    for number in range(n):
        regions.add("", "ADE", [(2 * number, 2 * number + 1)], number)
        if number:
            regions.link("fragment", number - 1, number)
    (entity,) = regions.to_record("a," * n).entities
    assert len(entity.fragments) == n
