import math

import pytest
from recorded_runs import make_run, make_scores

from project.experiments.summary import seed_table, show, summarize


def test_mean_and_sample_deviation():
    """Deviations -0.03, -0.01, 0.04: squares sum up to 0.0026, over n - 1 = 2 is 0.0013."""
    statistic = summarize([0.60, 0.62, 0.67])
    assert statistic == (3, pytest.approx(0.63), pytest.approx(math.sqrt(0.0013)))
    assert show([0.60, 0.62, 0.67]) == "63.00 ± 3.61"
    assert show([0.0113, 0.0133], sign="+") == "+1.23 ± 0.14"
    # runs without a score do not count
    assert summarize([None, 0.5, None]) == (1, 0.5, None)
    assert show([None]) == "-"


def test_seed_table():
    first = make_run(seed=0, scores={"dev": make_scores(0.60, p=0.5, r=0.75)})
    second = make_run(seed=4, scores={"dev": make_scores(0.64, disc=0.1, p=0.6, r=0.75)})
    table = seed_table([first, second], "dev")
    # deviations -0.02 and 0.02: sqrt(0.0008 / 1) = 0.0283
    assert table.rows[:3] == [
        ["All entities", "0", "50.00", "75.00", "60.00"],
        ["", "4", "60.00", "75.00", "64.00"],
        ["", "mean ± sd (n = 2)", "55.00 ± 7.07", "75.00 ± 0.00", "62.00 ± 2.83"],
    ]
    assert table.rows[6:9] == [
        ["Discontinuous entities", "0", "-", "-", "-"],
        ["", "4", "10.00", "10.00", "10.00"],
        ["", "mean ± sd (n = 1)", "10.00", "10.00", "10.00"],
    ]
    assert len(table.rows) == 12
