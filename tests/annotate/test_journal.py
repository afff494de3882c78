"""What is known of texts beside their entities survives whatever ends the process."""

from spacy_gapdner.annotate.brat_file import Mark
from spacy_gapdner.annotate.journal import Entry, Journal

REJECTED = (Mark("ADR", ((0, 6), (17, 30))),)


def test_the_last_line_counts_and_no_line_says_nothing_new(tmp_path):
    journal = Journal(tmp_path)
    assert journal.entries() == {}
    for entry in (
        Entry("done", REJECTED, "Ann", 1.0),
        Entry("done", REJECTED, "Ann", 2.0),
        Entry("doubtful", (), "Ann", 3.0),
    ):
        journal.add("sub/ü", entry)
    assert len(journal.path.read_text(encoding="utf-8").splitlines()) == 2
    assert Journal(tmp_path).entries() == journal.entries() == {"sub/ü": entry}


def test_lines_of_another_process_and_a_line_that_was_cut_off(tmp_path):
    journal, other = Journal(tmp_path), Journal(tmp_path)
    journal.add("a", Entry("done", REJECTED, "Ann", 1.0))
    assert other.entries() == {"a": Entry("done", REJECTED, "Ann", 1.0)}
    with journal.path.open("ab") as stream:
        stream.write(b'{"id": "b", "sta')
    assert set(Journal(tmp_path).entries()) == {"a"}
    later = Journal(tmp_path)
    later.add("c", Entry("skipped"))
    assert list(Journal(tmp_path).entries()) == list(other.entries()) == ["a", "c"]


def test_pace(tmp_path):
    journal = Journal(tmp_path)
    times = {"long ago": 0, "a": 10_000, "b": 10_300, "c": 10_600}
    for name, time in times.items():
        assert journal.pace(10_600) is None or name == "c"
        journal.add(name, Entry("done", time=time))
    # two more in 600 s
    assert journal.pace(10_600) == 12
    journal.add("c", Entry("new", time=10_700))
    assert journal.done() == ["long ago", "a", "b"]
