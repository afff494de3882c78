import csv
import json

import pytest
from recorded_runs import make_run

from project.experiments.runs import write_run


@pytest.fixture
def folder(tmp_path):
    for name, place, scores in (
        ("GapDNER", "full", (0.60, 0.62)),
        ("w/o BiLSTM", "ablated", (0.55, 0.53)),
    ):
        for seed, f in enumerate(scores):
            write_run(make_run(name, seed, f), tmp_path / place / f"seed_{seed}" / "run.json")
    return tmp_path


def test_tables(run, folder):
    result = run("compare", folder / "full", folder / "ablated", "--published", "table3")
    assert result.exit_code == 0
    for text in (
        "Scores on dev (dev.spacy, 3 Docs)",
        "61.00 ± 1.41",
        "54.00 ± 1.41",
        # -0.05 and -0.09
        "-7.00 ± 2.83",
        "not run",
        "73.65",
    ):
        assert text in result.stdout
    assert "differ" not in result.stdout


def test_files(run, folder):
    paths = {name: folder / "out" / f"tables.{name}" for name in ("markdown", "json", "csv")}
    options = [part for name, path in paths.items() for part in (f"--{name}", path)]
    assert run("compare", folder / "full", *options).exit_code == 0
    assert "| GapDNER | 2 | 61.00 ± 1.41 |" in paths["markdown"].read_text()
    assert json.loads(paths["json"].read_text())["groups"][0]["seeds"] == [0, 1]
    with paths["csv"].open() as stream:
        assert next(csv.DictReader(stream))["name"] == "GapDNER"
