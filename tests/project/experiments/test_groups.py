import csv
import dataclasses

import pytest
from recorded_runs import make_run, make_scores, set_value

from project.experiments.groups import group_runs
from project.experiments.published import Published
from project.experiments.runs import DataFile
from spacy_gapdner.errors import GapDNERError

PUBLISHED = Published(
    "Table 9",
    ("A", "B"),
    ("F",),
    {"Model X": (70.0, None), "GapDNER": (73.65, 82.87)},
)


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
    assert table.rows == [
        ["w/o X", "1", "60.00", "40.00", "50.00", "50.00", "20.00", "50.00"],
        [
            "GapDNER",
            "2",
            "75.00 ± 7.07",
            "60.00 ± 0.00",
            "61.00 ± 1.41",
            "61.00 ± 1.41",
            "35.00 ± 7.07",
            "61.00 ± 1.41",
        ],
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
    assert groups.parts == ["dev", "test"]
    assert group_runs([not_run]).parts == ["dev"]


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


def test_published_numbers_stand_beside():
    runs = [on_test("GapDNER", 0, 0.6), on_test("GapDNER", 1, 0.62), on_test("Mine", 0, 0.5)]
    table = group_runs(runs).published_table(PUBLISHED, "test")
    assert table.header == ["Model", "Seeds", "Measured F", "A F", "B F"]
    assert table.rows == [
        ["Model X", "0", "not run", "70.00", "-"],
        ["GapDNER", "2", "61.00 ± 1.41", "73.65", "82.87"],
        ["Mine", "1", "50.00", "-", "-"],
    ]
    assert "Table 9, as published on A, B" in table.title


def test_wall_time():
    seconds = [{"train": s, "dev": 1.0, "test": 1.0} for s in (90.0, 110.0)]
    runs = [make_run(seed=i, seconds=s) for i, s in enumerate(seconds)]
    assert group_runs(runs).time_table().rows == [["GapDNER", "2", "100 ± 14", "500 ± 0", "50, 50"]]


def test_a_run_counts_once():
    with pytest.raises(GapDNERError, match="two runs of GapDNER with seed 3"):
        group_runs([make_run(seed=3), make_run("W2NER", 3), make_run(seed=3)])


def test_runs_that_match_give_no_warning():
    moved = make_run(seed=1)
    moved.config["paths"]["train"] = "elsewhere/train.spacy"
    assert group_runs([make_run(), moved]).warnings() == []


def test_another_architecture_is_no_mismatch():
    ablated = change("w/o BiLSTM", "components.gapdner.model.bilstm", False)
    assert group_runs([make_run(), ablated]).warnings() == []


def change(name, setting, value, seed=0):
    run = make_run(name, seed)
    return dataclasses.replace(run, config=set_value(run.config, setting, value))


@pytest.mark.parametrize(
    ("setting", "value", "was"),
    [
        ("training.max_epochs", 15, 0),
        ("training.max_steps", 7, 100),
        ("components.encoder.model.name", "other/bert", "some/bert"),
        ("components.gapdner.model.tok2vec.grad_factor", 0.5, 1.0),
    ],
)
def test_other_training_or_encoder(setting, value, was):
    runs = [make_run(), make_run(seed=1), change("W2NER", setting, value)]
    (warning,) = group_runs(runs).warnings()
    assert warning.endswith(f"embeds the tokens: {setting} {was} (GapDNER) / {value} (W2NER).")


def test_other_data():
    run = make_run("W2NER")
    other = {**run.data, "dev": [DataFile("dev.spacy", 3, 4, "0123456789")]}
    runs = [make_run(), dataclasses.replace(run, data=other)]
    (warning,) = group_runs(runs).warnings()
    assert warning == (
        "The runs have different development data: dev.spacy devdevde (GapDNER) / "
        "dev.spacy 01234567 (W2NER)."
    )


def test_another_device():
    runs = [make_run(), make_run("W2NER", device={"processor": "x86_64", "gpu": "H200"})]
    (warning,) = group_runs(runs).warnings()
    assert "devices: x86_64 (GapDNER) / H200 (W2NER)." in warning


def test_one_name_for_two_models():
    runs = [make_run(), change("GapDNER", "components.gapdner.model.bilstm", False, seed=1)]
    (warning,) = group_runs(runs).warnings()
    assert "runs of GapDNER have different settings: components.gapdner.model.bilstm" in warning


def test_many_differences_are_counted():
    other = make_run("W2NER")
    for number in range(8):
        other.config["training"][f"setting{number}"] = number
    (warning,) = group_runs([make_run(), other]).warnings()
    assert warning.endswith("training.setting4 None (GapDNER) / 4 (W2NER) and 3 more.")


def test_numbers_for_files():
    runs = [on_test("GapDNER", 0, 0.60), on_test("GapDNER", 1, 0.62)]
    groups = group_runs(runs)
    (group,) = groups.to_json()["groups"]
    assert (group["name"], group["seeds"]) == ("GapDNER", [0, 1])
    f = group["scores"]["test"]["All entities"]["f"]
    assert f == {"n": 2, "mean": pytest.approx(0.61), "sd": pytest.approx(0.02 / 2**0.5)}
    assert group["scores"]["test"]["Discontinuous entities"]["f"] is None
    assert group["seconds"]["train"] == {"n": 2, "mean": 60.0, "sd": 0.0}

    rows = list(csv.DictReader(groups.to_csv().splitlines()))
    # two parts, four subsets, three measures
    assert len(rows) == 24
    row = next(r for r in rows if (r["part"], r["measure"]) == ("test", "f"))
    assert (row["subset"], row["n"], float(row["mean"])) == ("All entities", "2", f["mean"])
    empty = next(row for row in rows if row["subset"] == "Discontinuous entities")
    assert (empty["n"], empty["mean"], empty["sd"]) == ("0", "", "")


def test_markdown():
    table = group_runs([make_run("a|b")]).time_table()
    lines = table.to_markdown().splitlines()
    assert lines[0] == "**Wall time, mean ± sample sd over seeds**"
    assert lines[2:] == [
        "| Model | Seeds | Training, s | Words/s on dev | Best at step |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| a\\|b | 1 | 60 | 500 | 50 |",
    ]
