import pytest

from spacy_gapdner.formats import NOWHERE, Place, Report
from spacy_gapdner.formats.report import UNREADABLE


def test_counts_and_json():
    report = Report(documents=2, entities=3)
    report.left_out.update(["B", "A"])
    report.add("dropped", UNREADABLE, "message", Place("a.txt", 3, "a"))
    report.add("kept", "duplicate entity", "message", NOWHERE, ((0, 2),))
    report.add("repaired", "duplicate entity", "x" * 1000, NOWHERE)
    assert [str(issue) for issue in report.skipped] == ["a.txt:3: message"]
    assert report.counts() == {UNREADABLE: 1, "duplicate entity": 2}
    values = report.to_dict()
    first, second, third = values.pop("issues")
    counts = {"duplicate entity": 1}
    assert values == {
        "documents": 2,
        "entities": 3,
        "left_out": {"A": 1, "B": 1},
        "dropped": {UNREADABLE: 1},
        "repaired": counts,
        "kept": counts,
    }
    place = {"file": "a.txt", "line": 3, "document": "a", "offsets": ()}
    assert first == {"action": "dropped", "kind": UNREADABLE, "message": "message", **place}
    assert (second["offsets"], len(third["message"]) < 400) == (((0, 2),), True)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Place("notes/a.ann", 3, "notes/a"), "notes/a.ann:3"),
        (Place("notes/a.txt", None, "a"), "notes/a.txt"),
        (Place("all.xml", None, "PMC1"), "all.xml, PMC1"),
        (Place(None, None, "a"), "a"),
        (NOWHERE, "?"),
    ],
)
def test_places(place, expected):
    assert str(place) == expected
