import pytest

from project.paper.expectations import (
    CORPORA,
    FIGURES,
)


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
