import inspect

import pytest

import spacy_gapdner


def test_public_names_are_documented():
    for name in spacy_gapdner.__all__:
        value = getattr(spacy_gapdner, name)
        assert value.__name__ == name
        assert inspect.getdoc(value)
    with pytest.raises(AttributeError, match="No spacy_gapdner attribute nothing"):
        _ = spacy_gapdner.nothing
