"""Folders of texts: many, and odd ones."""

import pytest
from odd_texts import ODD_TEXTS

from spacy_gapdner.annotate.brat_file import Mark
from spacy_gapdner.annotate.store import ChangedError, Store, Texts
from spacy_gapdner.errors import GapDNERError


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_odd_texts(tmp_path, name):
    text = ODD_TEXTS[name]
    (tmp_path / "a.txt").write_bytes(text.encode())
    store = Store(Texts(tmp_path), "Ann")
    loaded = store.load("a")
    assert loaded.text == text
    if not text.strip():
        with pytest.raises(GapDNERError, match="Invalid fragments"):
            store.save("a", loaded.version, [Mark("ADR", ((0, len(text)),))], "new")
        return
    saved, ids, _ = store.save("a", loaded.version, [Mark("ADR", ((0, len(text)),))], "new")
    ((start, end),) = saved.file.entities[ids[0]].fragments
    assert text[start:end] == text.strip()
    assert saved.file.misfits == {}
    with pytest.raises(ChangedError):
        store.save("a", loaded.version, [], "new")


def test_folders_without_texts(tmp_path):
    with pytest.raises(GapDNERError, match="Folder not found"):
        Texts(tmp_path / "missing")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.txt").write_text("a")
    with pytest.raises(GapDNERError, match=r"no \.txt files"):
        Texts(tmp_path)
