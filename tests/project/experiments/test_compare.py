"""Records of runs, and the command ``compare``."""

import json

import pytest
from command_lines import invoke
from recorded_runs import make_run, make_scores
from spacy.util import set_dot_to_object

from project.experiments.__main__ import app
from project.experiments.comparable import find_differences
from project.experiments.compare import difference_table, group_runs, scores_table
from project.experiments.runs import find_runs, write_run
from spacy_gapdner.errors import GapDNERError

OTHER_DEV = [{"name": "dev.spacy", "sha256": "0123456789"}]


def test_written_runs_are_found(tmp_path):
    runs = [make_run("w/o Gap ≠", seed, f=2 / 3) for seed in range(4)]
    # srsly would round this number
    runs[0].config["training"]["eps"] = 1e-12
    for run, folder in zip(runs, ("b/seed_0", "a/x/seed_1", "a/seed_2", "a/.old"), strict=True):
        write_run(run, tmp_path / folder / "run.json")
    (tmp_path / "a" / "dryrun.json").write_text("{}")
    found = find_runs([tmp_path / "b", tmp_path / "a"])
    assert [*found.values()] == [runs[0], runs[2], runs[1]]


@pytest.mark.parametrize(
    ("name", "changes", "warning"),
    [
        ("W2NER", {"components.gapdner.model.bilstm": False}, None),
        ("W2NER", {"training.max_steps": 7}, "max_steps 100 (GapDNER) / 7 (W2NER)."),
        ("GapDNER", {"components.gapdner.model.bilstm": False}, "runs of GapDNER have different"),
        ("W2NER", {"dev": OTHER_DEV}, "devdevde (GapDNER) / dev.spacy 01234567 (W2NER)."),
    ],
)
def test_differences_between_runs(name, changes, warning):
    other = make_run(name, 1)
    for setting, value in changes.items():
        set_dot_to_object(other.data if setting == "dev" else other.config, setting, value)
    warnings = find_differences(group_runs([make_run(), other]))
    assert len(warnings) == (warning is not None)
    assert all(warning in line for line in warnings)


def test_command(tmp_path):
    for seed, f in enumerate((0.60, 0.62)):
        run = make_run("GapDNER (paper's settings)", seed, f)
        write_run(run, tmp_path / "a" / f"seed_{seed}" / "run.json")
    write_run(make_run("w/o BiLSTM"), tmp_path / "b" / "run.json")
    markdown, path = tmp_path / "out" / "tables.md", tmp_path / "out" / "tables.json"
    options = ("--published", "table3", "--markdown", markdown, "--json", path)
    result = invoke(app, "compare", tmp_path / "a", tmp_path / "b", *options)
    for text in ("61.00 ± 1.41", "not run", "73.65"):
        assert text in result.stdout
    assert "differ" not in result.stdout
    row = "| GapDNER (paper's settings) | 2 | 61.00 ± 1.41 | 73.65 |"
    assert row in markdown.read_text()
    f = json.loads(path.read_text())["groups"][0]["scores"]["test"]["All entities"]["f"]
    assert f == {"n": 2, "mean": pytest.approx(0.61), "sd": pytest.approx(0.02 / 2**0.5)}


def on_test(name, seed, f, **kwargs):
    scores = {"dev": make_scores(f), "test": make_scores(f, **kwargs)}
    return make_run(name, seed, f, scores=scores)


def test_scores_by_name():
    runs = [
        on_test("w/o X", 0, 0.5, disc=0.2, p=0.6, r=0.4),
        on_test("GapDNER", 1, 0.62, disc=0.3, p=0.7, r=0.6),
        on_test("GapDNER", 0, 0.60, disc=0.4, p=0.8, r=0.6),
        on_test("nothing to score", 0, None),
        make_run("other", scores={"dev": make_scores(0.5)}),
    ]
    table = scores_table(group_runs(runs), "test")
    assert table.header[:5] == ["Model", "Seeds", "P", "R", "F"]
    # the sample standard deviation of a and b is |a - b| / sqrt(2)
    f = "61.00 ± 1.41"
    assert table.rows == [
        ["w/o X", "1", "60.00", "40.00", "50.00", "50.00", "20.00", "50.00"],
        ["GapDNER", "2", "75.00 ± 7.07", "60.00 ± 0.00", f, f, "35.00 ± 7.07", f],
        ["nothing to score", "1", *["-"] * 6],
        ["other", "0", *["not run"] * 6],
    ]
    assert "(test.spacy, 3 Docs)" in table.title


def test_differences_are_paired_by_seed():
    """Seeds 1 and 2 are in both: 0.50 - 0.60 = -0.10 and 0.60 - 0.62 = -0.02."""
    base = [("GapDNER", 0, 0.9), ("GapDNER", 1, 0.60), ("GapDNER", 2, 0.62)]
    others = [("W", 1, 0.50), ("W", 2, 0.60), ("W", 3, 0.1), ("X", 7, 0.3)]
    groups = group_runs([on_test(*run) for run in (*base, *others)])
    table = difference_table(groups, "test")
    assert "minus that of GapDNER" in table.title
    # mean -0.06, deviation 0.08 / sqrt(2); there are no scores of discontinuous entities
    cell = "-6.00 ± 5.66"
    assert table.rows == [["W", "2", cell, cell, "-", cell], ["X", "0", *["-"] * 4]]


def test_duplicate_runs():
    with pytest.raises(GapDNERError, match="two runs of GapDNER with seed 3"):
        group_runs([make_run(seed=3), make_run("W2NER", 3), make_run(seed=3)])
