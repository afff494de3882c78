from dataclasses import replace

import pytest

from spacy_gapdner import GapDNERError
from spacy_gapdner.analysis.thresholds import Scores
from spacy_gapdner.analysis.tuning import Tuning
from spacy_gapdner.drawing.tuning_plot import check_picture, plot_tuning


def make_tuning(settings):
    scores = Scores(0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.4375, None, None)
    # of the last threshold on, nothing is found
    curve = [(0.1, scores), (0.9, replace(scores, p=None, disc_p=None))]
    return Tuning(settings, 0.0, bool(settings), [], scores, scores, scores, curve, [])


def test_a_line_for_each_threshold(tmp_path):
    texts = []
    for name, settings in (("none", {}), ("two", {"threshold": 0.4, "disc_threshold": 0.2})):
        plot_tuning(make_tuning(settings), tmp_path / f"{name}.svg")
        texts.append((tmp_path / f"{name}.svg").read_text())
    none, two = (text.count("stroke: #808080") for text in texts)
    # each with its sign in the legend
    assert two == none + 4
    for title in ("All entities", "Discontinuous entities alone"):
        assert title in texts[0]
    for note in ("contiguous entities", "discontinuous entities"):
        assert note in texts[1]


def test_pictures_have_a_suffix(tmp_path):
    check_picture(tmp_path / "curve.png")
    with pytest.raises(GapDNERError, match=r"curve.txt must end in .png or .svg"):
        check_picture(tmp_path / "curve.txt")
