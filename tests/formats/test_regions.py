"""Regions that links join: what is one entity, what several share, and what is counted."""

import pytest
from spacy_gapdner.formats.regions import Link, make_record

from spacy_gapdner.formats import Place, TextEntity

# A = "severe joint", B = "shoulder", C = "pain", D = "rash"
TEXT = "severe joint, shoulder-pain, rash"
OFFSETS = {"A": (0, 12), "B": (14, 22), "C": (23, 27), "D": (29, 33)}
PLACE = Place("a.json", None, "d")


def regions(names="ABCD", **labels):
    return [TextEntity(labels.get(n, "ADE"), (OFFSETS[n],), n) for n in names]


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
    pairs = [Link("Fragment", *pair.split("-")) for pair in links.split()]
    joined = make_record(TEXT, [(e, e) for e in regions()], pairs, PLACE, report).entities
    names = {offsets: name for name, offsets in OFFSETS.items()}
    assert sorted("".join(names[f] for f in e.fragments) for e in joined) == found
    assert not report.issues


def test_what_is_no_entity_is_counted(report):
    links = [Link("fragment", "A", "C"), Link("fragment", "B", "x"), Link("cause", "A", "D")]
    items = [(e, e) for e in regions(C="Part")]
    record = make_record(TEXT, items, links, PLACE, report)
    assert [e.id for e in record.entities] == ["B", "D"]
    assert report.counts("dropped") == {
        "relation": 1,
        "fragment that is no region with a type": 1,
        "fragments of different types": 1,
    }
    assert report.issues[-1].offsets == ((0, 12), (23, 27))


def test_offsets_of_a_browser(report):
    text = "😀 rash 😀 pain"
    for shift, n_repairs in ((0, 0), (1, 1)):
        found = [TextEntity("ADE", ((2 + shift, 6 + shift),), "1", PLACE, "rash")]
        found.append(TextEntity("ADE", ((9 + 2 * shift, 13 + 2 * shift),), "2", PLACE, "pain"))
        record = make_record(text, [(e, e) for e in found], [], PLACE, report)
        assert [text[a:b] for e in record.entities for a, b in e.fragments] == ["rash", "pain"]
        assert report.counts()["offsets in UTF-16"] == n_repairs
