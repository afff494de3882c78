import re
from dataclasses import replace

from spacy_gapdner.analysis import Scores, Tuning
from spacy_gapdner.drawing.tuning_plot import plot_tuning


def test_a_line_for_each_threshold(tmp_path):
    scores = Scores(0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.4375, None, None)
    # of the last threshold on, nothing is found
    curve = [(0.1, scores), (0.9, replace(scores, p=None, disc_p=None))]
    texts = []
    for settings in ({}, {"threshold": 0.4, "disc_threshold": 0.2}):
        tuning = Tuning(settings, 0.0, 0.0, bool(settings), False, *[scores] * 3, curve, [])
        plot_tuning(tuning, tmp_path / "curve.svg")
        texts.append((tmp_path / "curve.svg").read_text())
    none, two = (text.count("stroke: #808080") for text in texts)
    # each with its sign in the legend
    assert two == none + 4
    for title in ("All entities", "Discontinuous entities"):
        assert title in texts[0]
    # which hides the line behind it
    ground = r'id="legend_\d">\s*<g id="patch_\d+">\s*<path d="[^"]*" style="fill: #ffffff"/>'
    assert len(re.findall(ground, texts[1])) == 2
    for note in ("contiguous entities", "discontinuous entities"):
        assert note in texts[1]
