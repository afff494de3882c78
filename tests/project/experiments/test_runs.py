import pytest
from recorded_runs import make_run

from project.experiments.runs import find_runs, read_run, write_run
from spacy_gapdner.errors import GapDNERError


def test_a_run_is_read_as_it_was_written(tmp_path):
    # numbers that srsly would round
    run = make_run("w/o Gap ≠", 7, f=2 / 3)
    run.config["training"]["eps"] = 1e-12
    write_run(run, tmp_path / "a" / "run.json")
    assert read_run(tmp_path / "a" / "run.json") == run


@pytest.mark.parametrize("content", ['{"kind": "model"}', '{"kind": "spacy'])
def test_what_is_no_run(tmp_path, content):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(GapDNERError, match=f"^{path} is not a record of a run"):
        read_run(path)


def test_find_runs(tmp_path):
    for folder, seed in (("b/seed_0", 0), ("a/x/seed_1", 1), ("a/seed_2", 2), ("a/.old", 3)):
        write_run(make_run(seed=seed), tmp_path / folder / "run.json")
    (tmp_path / "a" / "dryrun.json").write_text("{}")
    assert [run.seed for run in find_runs([tmp_path / "b", tmp_path / "a"]).values()] == [0, 2, 1]
    (tmp_path / "empty").mkdir()
    with pytest.raises(GapDNERError, match=r"contains no run.json"):
        find_runs([tmp_path / "empty"])
