from spacy_gapdner.formats import Report, report
from spacy_gapdner.formats.report import NOWHERE, UNREADABLE


def test_all_is_counted_and_a_bounded_number_listed(monkeypatch):
    monkeypatch.setattr(report, "MOST_ISSUES", 2)
    filled = Report()
    for number in range(5):
        filled.add("dropped", UNREADABLE, f"message {number}", NOWHERE)
        filled.add("kept", "duplicate entity", f"message {number}", NOWHERE)
    filled.add("repaired", "duplicate entity", "message 5", NOWHERE)
    assert [issue.message for issue in filled.skipped] == ["message 0", "message 1"]
    assert filled.n_skipped == 5
    assert filled.counts() == {UNREADABLE: 5, "duplicate entity": 6}
    assert filled.counts("kept") == {"duplicate entity": 5}
    told = filled.to_dict()
    assert (told["dropped"], told["not_listed"]) == ({UNREADABLE: 5}, 6)
    assert [issue["message"] for issue in told["issues"]] == [
        "message 0",
        "message 0",
        "message 1",
        "message 1",
        "message 5",
    ]
