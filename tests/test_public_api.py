import importlib
import inspect
from importlib.metadata import version

import pytest

import spacy_gapdner

SUBPACKAGES = ("", ".analysis", ".config", ".drawing", ".formats")


def test_version_and_unknown_names():
    assert spacy_gapdner.__version__ == version("spacy-gapdner")
    with pytest.raises(AttributeError, match="No spacy_gapdner attribute nothing"):
        _ = spacy_gapdner.nothing


@pytest.mark.parametrize("name", SUBPACKAGES)
def test_public_names_are_documented(name):
    package = importlib.import_module(f"spacy_gapdner{name}")
    for name in package.__all__:
        value = getattr(package, name)
        if inspect.isroutine(value) or inspect.isclass(value):
            assert value.__name__ == name
            assert inspect.getdoc(value)
