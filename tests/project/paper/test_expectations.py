import pytest

from project.paper.expectations import (
    CORPORA,
    FIGURES,
    get_figures,
)
from spacy_gapdner.errors import GapDNERError


def value(corpus, part, name):
    found = [f.value for f in FIGURES if f[:3] == (corpus, part, name)]
    return found[0] if found else None


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("name", ["documents", "sentences", "entities", "discontinuous"])
def test_parts_add_up_to_table_1(corpus, name):
    parts = [value(corpus, part, name) for part in ("train", "dev", "test")]
    if None in parts:
        assert (corpus, name) == ("share14", "discontinuous")
    else:
        assert sum(parts) == value(corpus, "all", name)


@pytest.mark.parametrize("corpus", CORPORA)
def test_percentages_of_table_1(corpus):
    share = value(corpus, "all", "discontinuous") / value(corpus, "all", "entities")
    assert round(100 * share, 2) == value(corpus, "all", "discontinuous percent")


@pytest.mark.parametrize(
    ("corpus", "part", "name"),
    [
        ("craft", None, "craft:"),
        ("CADEC", None, "CADEC: choose cadec"),
        ("cadec", "half", "cadec half:"),
    ],
)
def test_no_figures(corpus, part, name):
    with pytest.raises(GapDNERError, match=f"no published figures on {name}"):
        get_figures(corpus, part)
