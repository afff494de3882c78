"""A pipeline becomes a package of its own, which asks for ours and predicts as before."""

from importlib.metadata import version

import pytest
import spacy
import srsly
from spacy.cli.package import package
from spacy.util import get_minor_version_range
from tiny_pipeline import ANNOTATED, trained_pipeline

TEXT = ANNOTATED[0][0]


def entities(nlp):
    return [(entity.label_, entity.text) for entity in nlp(TEXT)._.discontinuous_ents]


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packaging")
    trained_pipeline().to_disk(folder / "model")
    (folder / "output").mkdir()
    package(
        folder / "model", folder / "output", name="findings", version="1.2.0", create_sdist=False
    )
    return folder / "output" / "en_findings-1.2.0"


def test_the_package_asks_for_ours(packed):
    required = f"spacy-gapdner{get_minor_version_range(version('spacy-gapdner'))}"
    assert required in srsly.read_json(packed / "meta.json")["requirements"]


def test_its_folder_is_the_pipeline(packed):
    nlp = spacy.load(packed / "en_findings" / "en_findings-1.2.0")
    assert entities(nlp) == entities(trained_pipeline()) != []
