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
    assert report.counts("kept") == {"duplicate entity": 1}
    told = report.to_dict()
    first, second, third = told.pop("issues")
    counts = {"duplicate entity": 1}
    assert told.pop("dropped") == {UNREADABLE: 1}
    assert (told.pop("repaired"), told.pop("kept")) == (counts, counts)
    assert told == {"documents": 2, "entities": 3, "left_out": {"A": 1, "B": 1}}
    place = {"file": "a.txt", "line": 3, "document": "a"}
    what = {"action": "dropped", "kind": UNREADABLE, "message": "message"}
    assert first == {**what, **place, "offsets": []}
    assert (second["offsets"], len(third["message"]) < 400) == ([[0, 2]], True)


def test_where_something_stands():
    assert str(Place("notes/a.ann", 3, "notes/a")) == "notes/a.ann:3"
    assert str(Place("notes/a.txt", None, "a")) == "notes/a.txt"
    assert str(Place("all.xml", None, "PMC1")) == "all.xml, PMC1"
    assert str(Place(None, None, "a")) == "a"
    assert str(Place()) == "?"
