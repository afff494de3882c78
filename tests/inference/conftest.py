import pytest
import spacy


@pytest.fixture
def nlp(model):
    """A pipeline that finds the entities of ANNOTATED, for a single test."""
    return spacy.load(model)
