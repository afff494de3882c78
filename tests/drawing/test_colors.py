import pytest

from spacy_gapdner.drawing.colors import PALETTE, choose_colors
from spacy_gapdner.errors import GapDNERError


def test_a_type_has_one_color_on_every_page():
    pages = (["ADE"], ["Drug", "ADE"], ["ADE", "Drug"])
    assert len({choose_colors(labels)["ADE"] for labels in pages}) == 1


def test_types_have_different_colors():
    labels = [f"type {i}" for i in range(len(PALETTE))]
    assert sorted(choose_colors(labels).values()) == sorted(PALETTE)
    assert len(choose_colors([*labels, "one more"])) == len(PALETTE) + 1


def test_given_colors():
    chosen = choose_colors(["B", "A"], {"A": "hsl(10, 50%, 40%)", "unused": "teal"})
    assert chosen == {"A": "hsl(10, 50%, 40%)", "B": choose_colors(["B"])["B"]}


@pytest.mark.parametrize("color", ["red; background: url(x)", "expression(1)", '"', ""])
def test_invalid_colors(color):
    with pytest.raises(GapDNERError, match="color"):
        choose_colors(["ADE"], {"ADE": color})
