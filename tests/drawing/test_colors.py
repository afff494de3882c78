import pytest

from spacy_gapdner.drawing.colors import PALETTE, choose_colors
from spacy_gapdner.errors import GapDNERError


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


@pytest.mark.parametrize("color", PALETTE)
@pytest.mark.parametrize("ground", ["#ffffff", "#14171d"])
def test_contrast(color, ground):
    dark, light = sorted(map(luminance, (color, ground)))
    assert (light + 0.05) / (dark + 0.05) >= 3


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
