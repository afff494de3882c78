import json

import pytest
from recorded_runs import make_run

from project.experiments.published import PUBLISHED
from project.experiments.runs import write_run

# the decreases of F that Table 3 states itself
DECREASES = {
    "w/o BiLSTM": (0.18, 0.24, 0.28),
    "w/o Biaffine": (1.80, 1.95, 1.42),
    "w/o Linear Attention": (1.97, 1.52, 1.59),
    "w/o Criss-cross Attention": (1.12, 0.76, 0.93),
}


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


def test_the_paper_s_tables():
    """Means over seeds keep nearly to the formula; of MAPtr, what was published does not."""
    for name, scores in PUBLISHED["table2"].rows.items():
        for p, r, f in (scores[:3], scores[3:6], scores[6:]):
            if p is not None and name != "MAPtr":
                assert f == pytest.approx(2 * p * r / (p + r), abs=0.15), name
    rows = PUBLISHED["table3"].rows
    assert list(rows) == ["GapDNER", *DECREASES]
    for name, decreases in DECREASES.items():
        found = [a - b for a, b in zip(rows["GapDNER"], rows[name], strict=True)]
        assert found == pytest.approx(decreases)
