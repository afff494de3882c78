import dataclasses
import hashlib

import pytest
import spacy
from recorded_runs import make_run, set_value
from tiny_pipeline import CORPUS, make_doc

from project.experiments.runs import (
    DataFile,
    describe_file,
    find_differences,
    find_runs,
    flatten,
    read_run,
    write_run,
)
from spacy_gapdner.errors import GapDNERError


def test_a_run_is_read_as_it_was_written(tmp_path):
    # numbers that srsly would round
    run = make_run("w/o Gap ≠", 7, f=2 / 3)
    run.config["training"]["eps"] = 1e-12
    write_run(run, tmp_path / "a" / "run.json")
    assert read_run(tmp_path / "a" / "run.json") == run
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", 'it lacks "kind"'),
        ('{"kind": "model"}', 'it lacks "kind"'),
        ('{"kind": "spacy-gapdner run 1", "name": "A"}', "it lacks 'seed'"),
        ('{"kind": "spacy', "Unterminated string"),
    ],
)
def test_what_is_no_run(tmp_path, content, message):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(GapDNERError, match=message) as error:
        read_run(path)
    assert str(error.value).startswith(f"{path} is no record of a run (")


def test_find_runs(tmp_path):
    for folder, seed in (("b/seed_0", 0), ("a/x/seed_1", 1), ("a/seed_2", 2), ("a/.old", 3)):
        write_run(make_run(seed=seed), tmp_path / folder / "run.json")
    (tmp_path / "a" / "dryrun.json").write_text("{}")
    assert [run.seed for run in find_runs([tmp_path / "b", tmp_path / "a"])] == [0, 2, 1]


@pytest.mark.parametrize(("name", "message"), [("a", "holds no run.json"), ("b", "no folder")])
def test_no_runs(tmp_path, name, message):
    (tmp_path / "a").mkdir()
    with pytest.raises(GapDNERError, match=message):
        find_runs([tmp_path / name])


def test_flatten():
    assert flatten({"a": {"b": {"c": 1}, "d": {}}, "e": [{"f": 2}]}) == {
        "a.b.c": 1,
        "a.d": {},
        "e": [{"f": 2}],
    }


def test_the_same_run_elsewhere():
    """The contents of the data count, not where they are."""
    run = make_run()
    config = set_value(run.config, "paths.train", "elsewhere/train.spacy")
    data = {
        part: [dataclasses.replace(file, name="other.spacy") for file in files]
        for part, files in run.data.items()
    }
    assert find_differences(run, "GapDNER", config, data) == []


@pytest.mark.parametrize(
    ("name", "setting", "value", "difference"),
    [
        ("Other", "training.max_steps", 100, "its name is 'GapDNER', not 'Other'"),
        ("GapDNER", "training.max_steps", 200, "its training.max_steps is 100, not 200"),
        ("GapDNER", "training.dropout", 0.1, "its training.dropout is None, not 0.1"),
        ("GapDNER", "system.seed", 1, "its system.seed is 0, not 1"),
    ],
)
def test_another_run(name, setting, value, difference):
    run = make_run()
    config = set_value(run.config, setting, value)
    assert find_differences(run, name, config, run.data) == [difference]


def test_describe_file(tmp_path):
    nlp = spacy.blank("en")
    path = tmp_path / "a.spacy"
    path.write_bytes(b"abc")
    docs = [make_doc(nlp, text, entities, "mine") for text, entities in CORPUS]
    sha256 = hashlib.sha256(b"abc").hexdigest()
    # 3 + 4 + 2 + 1 + 0 entities
    assert describe_file(path, docs, "mine") == DataFile("a.spacy", 5, 10, sha256)
