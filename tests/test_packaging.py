"""A packaged pipeline requires this package and makes the same predictions."""

from importlib.metadata import version

import spacy
import srsly
from spacy.cli.package import package
from spacy.util import get_minor_version_range
from tiny_pipeline import ANNOTATED, trained_pipeline


def entities(nlp):
    return [(entity.label_, entity.text) for entity in nlp(ANNOTATED[0][0])._.discontinuous_ents]


def test_a_package(tmp_path):
    trained_pipeline().to_disk(tmp_path / "model")
    (tmp_path / "out").mkdir()
    package(tmp_path / "model", tmp_path / "out", name="x", version="1.2.0", create_sdist=False)
    folder = tmp_path / "out" / "en_x-1.2.0"
    required = f"spacy-gapdner{get_minor_version_range(version('spacy-gapdner'))}"
    assert required in srsly.read_json(folder / "meta.json")["requirements"]
    nlp = spacy.load(folder / "en_x" / "en_x-1.2.0")
    assert entities(nlp) == entities(trained_pipeline()) != []
