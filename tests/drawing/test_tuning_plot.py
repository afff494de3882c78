import re

from spacy_gapdner.analysis import Tuning
from spacy_gapdner.drawing.tuning_plot import plot_tuning


def test_a_line_for_each_threshold(tmp_path):
    scores = {prefix + name: 0.5 for prefix in ("", "disc_") for name in "prf"}
    curve = [(0.1, scores), (0.9, dict.fromkeys(scores, 0.0))]
    texts = []
    for settings in ({}, {"threshold": 0.4, "disc_threshold": 0.2}):
        tuning = Tuning(settings, 0.0, 0.0, bool(settings), False, *[scores] * 3, curve)
        plot_tuning(tuning, tmp_path / "curve.svg")
        texts.append((tmp_path / "curve.svg").read_text())
    none, two = (text.count("stroke: #808080") for text in texts)
    # each line is also in the legend
    assert two == none + 4
    for title in ("All entities", "Discontinuous entities"):
        assert title in texts[0]
    # the legend hides the line behind it
    ground = r'id="legend_\d">\s*<g id="patch_\d+">\s*<path d="[^"]*" style="fill: #ffffff"/>'
    assert len(re.findall(ground, texts[1])) == 2
    for note in ("contiguous entities", "discontinuous entities"):
        assert note in texts[1]
