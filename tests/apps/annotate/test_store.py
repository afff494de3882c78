"""Folders of texts, odd texts, and the journal."""

import pytest
from odd_texts import ODD_TEXTS

from spacy_gapdner.apps.annotate.journal import Entry, Journal
from spacy_gapdner.apps.annotate.store import Annotation, Store, Texts
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import TextEntity


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_odd_texts(tmp_path, name):
    text = ODD_TEXTS[name]
    (tmp_path / "a.txt").write_bytes(text.encode())
    store = Store(Texts(tmp_path), "Ann")
    loaded = store.load("a")
    assert loaded.file.text == text
    everything = TextEntity("ADR", ((0, len(text)),))
    sent = Annotation(version=loaded.version, entities=[everything], status="new")
    if not text.strip():
        with pytest.raises(GapDNERError, match="Invalid fragments"):
            store.save("a", sent)
        return
    saved, _ = store.save("a", sent)
    for file in (saved.file, Store(Texts(tmp_path), "Ben").load("a").file):
        ((start, end),) = file.entities["T1"].fragments
        assert text[start:end] == text.strip()
        assert [entity.surface for entity in file.entities.values()] == [None]


def test_other_annotation_files_are_refused(tmp_path):
    for suffix in ("txt", "ann", "a1"):
        (tmp_path / f"a.{suffix}").touch()
    with pytest.raises(GapDNERError, match=r"a\.a1 would be ignored\. Convert the folder"):
        Store(Texts(tmp_path), "Ann").load("a")


def test_folders_without_texts(tmp_path):
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.txt").write_text("a")
    with pytest.raises(GapDNERError, match=r"no \.txt files"):
        Texts(tmp_path)


def test_last_entry_of_a_text_is_used(tmp_path):
    journal = Journal(tmp_path)
    assert journal.entries() == {}
    rejected = (TextEntity("ADR", ((0, 6), (17, 30))),)
    first, last = Entry("done", rejected, "Ann", 1.0), Entry("doubtful", (), "Ann", 3.0)
    journal.add("sub/ü", first)
    assert journal.entries() == Journal(tmp_path).entries() == {"sub/ü": first}
    # only the time differs
    journal.add("sub/ü", first._replace(time=2.0))
    journal.add("sub/ü", last)
    # a line of a process that was killed
    with journal.path.open("ab") as stream:
        stream.write(b'{"id": "b", "sta')
    Journal(tmp_path).add("c", Entry("skipped"))
    expected = {"sub/ü": last, "c": Entry("skipped")}
    assert Journal(tmp_path).entries() == expected
    assert len(journal.path.read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.parametrize(
    "line",
    [
        '{"status": "done"}',
        '["a"]',
        '{"id": "a", "rejected": [], "status": "finished"}',
        '{"id": 5, "rejected": [], "status": "done"}',
        '{"id": "a", "rejected": [["ADR", 5]], "status": "done"}',
        '{"id": "a", "rejected": [], "color": "red"}',
    ],
)
def test_invalid_line_is_reported(tmp_path, line):
    journal = Journal(tmp_path)
    journal.add("b", Entry("done"))
    before = journal.path.read_text()
    journal.path.write_text(f"{before}{line}\n{before}")
    with pytest.raises(GapDNERError) as caught:
        Journal(tmp_path).entries()
    message = f"{journal.path}, line 2: this is not the status of a text: {line}. Delete"
    assert message in str(caught.value)
    journal.path.write_text(before * 2)
    assert journal.entries() == {"b": Entry("done")}
