import pytest
import spacy
from tiny_pipeline import make_nlp, train


@pytest.fixture
def nlp():
    return spacy.blank("en")


@pytest.fixture(scope="session")
def trained():
    """A pipeline that has memorized CORPUS. Tests must not change it."""
    nlp = make_nlp()
    train(nlp, 60)
    return nlp


@pytest.fixture(scope="session")
def saved(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    trained.to_disk(path)
    return path
