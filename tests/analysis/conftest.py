import pytest
import spacy
from tiny_pipeline import trained_pipeline


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny"
    trained_pipeline().to_disk(path)
    return path


@pytest.fixture
def nlp(saved):
    """A pipeline that finds the entities of ANNOTATED, for a single test."""
    return spacy.load(saved)
