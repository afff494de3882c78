import pytest

from spacy_gapdner.drawing.colors import PALETTE, choose_colors
from spacy_gapdner.errors import GapDNERError


def test_type_colors_are_distinct_and_the_same_on_every_page():
    pages = (["ADE"], ["Drug", "ADE"], ["ADE", "Drug"])
    assert len({choose_colors(labels)["ADE"] for labels in pages}) == 1
    labels = [f"type {i}" for i in range(len(PALETTE))]
    assert sorted(choose_colors(labels).values()) == sorted(PALETTE)
    assert len(choose_colors([*labels, "one more"])) == len(PALETTE) + 1


def test_given_colors():
    chosen = choose_colors(["B", "A"], {"A": "hsl(10, 50%, 40%)", "unused": "teal"})
    assert chosen == {"A": "hsl(10, 50%, 40%)", "B": choose_colors(["B"])["B"]}
    for color in ("red; background: url(x)", "expression(1)", '"', ""):
        with pytest.raises(GapDNERError, match="color"):
            choose_colors(["ADE"], {"ADE": color})
