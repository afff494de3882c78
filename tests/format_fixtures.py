"""Fixtures of all tests of readers and writers."""

import pytest

from spacy_gapdner import get_entities
from spacy_gapdner.formats import Report, blank_pipeline


@pytest.fixture(scope="session")
def nlp():
    return blank_pipeline("en")


@pytest.fixture
def report():
    return Report()


@pytest.fixture
def write(tmp_path):
    """Writes files given by name and returns their folder."""

    def write_files(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            raw = content if isinstance(content, bytes) else content.encode("utf-8")
            path.write_bytes(raw)
        return tmp_path

    return write_files


@pytest.fixture(scope="session")
def plain():
    """Turns the entities of a Doc into comparable values."""
    return lambda doc: [(e.label_, e.to_entity().fragments) for e in get_entities(doc)]
