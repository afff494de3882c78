import dataclasses

import pytest
from recorded_runs import make_run, make_scores, set_value

from project.experiments.groups import group_runs
from project.experiments.runs import DataFile
from spacy_gapdner.errors import GapDNERError


def on_test(name, seed, f, **kwargs):
    scores = {"dev": make_scores(f), "test": make_scores(f, **kwargs)}
    return make_run(name, seed, f, scores=scores)


def test_scores_by_name_in_order_of_appearance():
    runs = [
        on_test("w/o X", 0, 0.5, disc=0.2, p=0.6, r=0.4),
        on_test("GapDNER", 1, 0.62, disc=0.3, p=0.7, r=0.6),
        on_test("GapDNER", 0, 0.60, disc=0.4, p=0.8, r=0.6),
    ]
    table = group_runs(runs).scores_table("test")
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
    assert groups.scores_table("test").rows == [
        ["A", "1", *["-"] * 6],
        ["B", "0", *["not run"] * 6],
    ]


def test_differences_are_paired_by_seed():
    """Seeds 1 and 2 are in both: 0.50 - 0.60 = -0.10 and 0.60 - 0.62 = -0.02."""
    base = [("GapDNER", 0, 0.9), ("GapDNER", 1, 0.60), ("GapDNER", 2, 0.62)]
    others = [("W", 1, 0.50), ("W", 2, 0.60), ("W", 3, 0.1), ("X", 7, 0.3)]
    groups = group_runs([on_test(*run) for run in (*base, *others)])
    table = groups.difference_table("test")
    assert "less that of GapDNER" in table.title
    # mean -0.06, deviation 0.08 / sqrt(2); nothing is to be scored of discontinuous entities
    cell = "-6.00 ± 5.66"
    assert table.rows == [["W", "2", cell, cell, "-", cell], ["X", "0", *["-"] * 4]]


def test_a_run_counts_once():
    with pytest.raises(GapDNERError, match="two runs of GapDNER with seed 3"):
        group_runs([make_run(seed=3), make_run("W2NER", 3), make_run(seed=3)])


OTHER_DATA = {**make_run().data, "dev": [DataFile("dev.spacy", 3, 4, "0123456789")]}


@pytest.mark.parametrize(
    ("name", "changes", "warning"),
    [
        ("W2NER", {"components.gapdner.model.bilstm": False}, None),
        ("W2NER", {"training.max_steps": 7}, "max_steps 100 (GapDNER) / 7 (W2NER)."),
        ("GapDNER", {"components.gapdner.model.bilstm": False}, "runs of GapDNER have different"),
        ("W2NER", {"data": OTHER_DATA}, "devdevde (GapDNER) / dev.spacy 01234567 (W2NER)."),
        ("W2NER", {"device": {"gpu": "H200"}}, "devices: x86_64 (GapDNER) / H200 (W2NER)."),
    ],
)
def test_what_makes_runs_incomparable(name, changes, warning):
    fields = {field: changes[field] for field in ("data", "device") if field in changes}
    other = make_run(name, 1, **fields)
    for setting in changes.keys() - fields.keys():
        config = set_value(other.config, setting, changes[setting])
        other = dataclasses.replace(other, config=config)
    warnings = group_runs([make_run(), other]).warnings()
    assert len(warnings) == (warning is not None)
    assert all(warning in line for line in warnings)
