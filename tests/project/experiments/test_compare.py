import json

import pytest
from recorded_runs import make_run, make_scores

from project.experiments.compare import (
    difference_table,
    gap_length_table,
    group_runs,
    scores_table,
)
from project.experiments.runs import write_run
from spacy_gapdner.errors import GapDNERError


def test_tables_and_files(run, tmp_path):
    for name, place, scores in (("GapDNER", "a", (0.60, 0.62)), ("w/o BiLSTM", "b", (0.55, 0.53))):
        for seed, f in enumerate(scores):
            write_run(make_run(name, seed, f), tmp_path / place / f"seed_{seed}" / "run.json")
    paths = {name: tmp_path / "out" / f"tables.{name}" for name in ("markdown", "json")}
    options = [part for name, path in paths.items() for part in (f"--{name}", path)]
    result = run("compare", tmp_path / "a", tmp_path / "b", "--published", "table3", *options)
    assert result.exit_code == 0, result.output
    # the differences are -0.05 and -0.09
    for text in ("61.00 ± 1.41", "54.00 ± 1.41", "-7.00 ± 2.83", "not run", "73.65"):
        assert text in result.stdout
    assert "differ" not in result.stdout
    assert "| GapDNER | 2 | 61.00 ± 1.41 |" in paths["markdown"].read_text()
    group = json.loads(paths["json"].read_text())["groups"][0]
    assert group["seeds"] == [0, 1]
    f = group["scores"]["test"]["All entities"]["f"]
    assert f == {"n": 2, "mean": pytest.approx(0.61), "sd": pytest.approx(0.02 / 2**0.5)}


def on_test(name, seed, f, **kwargs):
    scores = {"dev": make_scores(f), "test": make_scores(f, **kwargs)}
    return make_run(name, seed, f, scores=scores)


def test_scores_by_name_in_order_of_appearance():
    runs = [
        on_test("w/o X", 0, 0.5, disc=0.2, p=0.6, r=0.4),
        on_test("GapDNER", 1, 0.62, disc=0.3, p=0.7, r=0.6),
        on_test("GapDNER", 0, 0.60, disc=0.4, p=0.8, r=0.6),
    ]
    table = scores_table(group_runs(runs), "test")
    # deviations of two numbers a and b: |a - b| / sqrt(2)
    assert table.header[:5] == ["Model", "Seeds", "P", "R", "F"]
    f = "61.00 ± 1.41"
    assert table.rows == [
        ["w/o X", "1", "60.00", "40.00", "50.00", "50.00", "20.00", "50.00"],
        ["GapDNER", "2", "75.00 ± 7.07", "60.00 ± 0.00", f, f, "35.00 ± 7.07", f],
    ]
    assert "(test.spacy, 3 Docs)" in table.title


def test_nothing_to_score_is_not_the_same_as_not_run():
    nothing = make_run("A", scores={"dev": make_scores(0.5), "test": make_scores(None)})
    not_run = make_run("B", scores={"dev": make_scores(0.5)})
    groups = group_runs([nothing, not_run])
    assert scores_table(groups, "test").rows == [
        ["A", "1", *["-"] * 6],
        ["B", "0", *["not run"] * 6],
    ]


def test_differences_are_paired_by_seed():
    """Seeds 1 and 2 are in both: 0.50 - 0.60 = -0.10 and 0.60 - 0.62 = -0.02."""
    base = [("GapDNER", 0, 0.9), ("GapDNER", 1, 0.60), ("GapDNER", 2, 0.62)]
    others = [("W", 1, 0.50), ("W", 2, 0.60), ("W", 3, 0.1), ("X", 7, 0.3)]
    groups = group_runs([on_test(*run) for run in (*base, *others)])
    table = difference_table(groups, "test")
    assert "less that of GapDNER" in table.title
    # mean -0.06, deviation 0.08 / sqrt(2); nothing is to be scored of discontinuous entities
    cell = "-6.00 ± 5.66"
    assert table.rows == [["W", "2", cell, cell, "-", cell], ["X", "0", *["-"] * 4]]


def test_scores_by_gap_length():
    runs = []
    for seed, lengths in enumerate(({"1": {"f": 0.4}, "3": {"f": 0.2}}, {"1": {"f": 0.6}}, None)):
        scores = make_scores(0.5) | {"spans_sc_gap_lengths": lengths}
        runs.append(make_run(seed=seed, scores={"dev": scores, "test": scores}))
    table = gap_length_table(group_runs(runs), "test")
    assert table.header == ["Model", "Seeds", *"12345678"]
    # 0.2 / sqrt(2)
    assert table.rows == [["GapDNER", "3", "50.00 ± 14.14", "-", "20.00", *"-----"]]


def test_a_run_counts_once():
    with pytest.raises(GapDNERError, match="two runs of GapDNER with seed 3"):
        group_runs([make_run(seed=3), make_run("W2NER", 3), make_run(seed=3)])
