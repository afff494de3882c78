"""Counts and tables of a cross-validation."""

from pathlib import Path

import numpy as np
import pytest
from named_docs import save_named
from recorded_runs import make_run
from spacy.tokens import DocBin
from tiny_pipeline import CORPUS, read_docs

from project.experiments.cross_validation import make_tasks
from project.experiments.fold_counts import VariantCounts, count_entities, difference
from project.experiments.fold_tables import make_tables
from project.experiments.folds import make_folds
from project.experiments.runs import write_run
from project.experiments.variants import Variant
from spacy_gapdner import Entity, set_entities

CONFIG = Path(__file__).parents[3] / "configs" / "gapdner_cpu.cfg"
# an entity that no other document has
EXTRA = ("weak left and right arm", [("SYMPTOM", [0, 1, 4])])
# a discontinuous entity is missed, and another one lacks a fragment
CHANGED = {
    CORPUS[0][0]: CORPUS[0][1][:2],
    CORPUS[1][0]: [
        ("SYMPTOM", [6, 7]) if e == ("SYMPTOM", [1, 2, 6, 7]) else e for e in CORPUS[1][1]
    ],
}


@pytest.fixture
def found(tmp_path):
    """A variant that finds all entities, and one that does not, on four documents."""
    files = [
        save_named(tmp_path / "a.spacy", ["t0"], [*CORPUS, EXTRA]),
        save_named(tmp_path / "b.spacy", ["t1", "t2", "t3"]),
    ]
    folds = make_folds(files, tmp_path / "folds", 2)
    variants = [Variant("all", CONFIG), Variant("some", CONFIG)]
    tasks = {}
    for task in make_tasks(variants, folds, [0, 1], tmp_path / "runs"):
        docs = read_docs(folds.test(task.fold))
        for doc in docs if task.variant.name == "some" else ():
            if (entities := CHANGED.get(doc.text.strip())) is not None:
                set_entities(doc, [Entity.from_tokens(*entity) for entity in entities])
        seconds = {"train": 90.0, "train_cpu": 60.0 + 60 * task.fold}
        write_run(make_run(seconds=seconds), task.folder / "run.json")
        DocBin(docs=docs).to_disk(task.folder / "predictions.spacy")
        tasks.setdefault(task.variant.name, []).append(task)
    return tasks, folds


def rows_of(tables, title):
    (table,) = (table for table in tables if table.title.startswith(title))
    return table.rows


def test_counts(found):
    tasks, folds = found
    counts = count_entities(tasks["some"], folds)
    assert counts.documents == ["t0", "t1", "t2", "t3"]
    # of 10 entities in each document, 8 are correct, and 1 is spurious; t0 has one more
    assert counts.groups["subset", "all"].tolist() == [[9, 10, 11]] + [[8, 9, 10]] * 3
    assert counts.groups["subset", "disc"].tolist() == [[3, 3, 5]] + [[2, 2, 4]] * 3
    assert counts.total("type", "SYMPTOM").tolist() == [17, 21, 25]


def test_tables(found):
    tables = make_tables({**found[0], "missing": []}, found[1], 10)
    scores = rows_of(tables, "Scores")
    assert [row[:2] for row in scores] == [["all", "0, 1"], ["some", "0, 1"]]
    # 33 of 37 predicted and 41 gold entities; 9 of 9 and 17 discontinuous ones
    assert scores[1][2:5] == ["89.2", "80.5", "84.6"]
    assert scores[1][6:9] == ["100.0", "52.9", "69.2"]
    assert scores[1][-2:] == ["1.5", "1.5"]
    assert rows_of(tables, "F1 minus")[0][:2] == ["some", "4"]
    assert rows_of(tables, "F1 by type") == [
        ["gold entities", "8", "8", "25"],
        ["all", "100.0", "100.0", "100.0"],
        ["some", "100.0", "100.0", "73.9"],
    ]
    # F1 of 2 * 5 / (5 + 9) for gaps of 4 to 6 tokens
    assert rows_of(tables, "F1 for discontinuous entities by tokens")[0] == [
        "gold entities",
        "1",
        "4",
        "12",
    ]
    recall = {name: cells for name, *cells in rows_of(tables, "Recall")}
    assert recall == {
        "tokens in gaps: 2": ["1", "100.0", "100.0"],
        "tokens in gaps: 3": ["4", "100.0", "0.0"],
        "tokens in gaps: 4 to 6": ["12", "100.0", "66.7"],
        "fragments: 2": ["13", "100.0", "38.5"],
        "fragments: 3": ["4", "100.0", "100.0"],
        "type: SYMPTOM": ["17", "100.0", "52.9"],
        "in training data: no": ["1", "100.0", "100.0"],
        "in training data: yes": ["16", "100.0", "50.0"],
        "tokens in sentence: 1 to 10": ["17", "100.0", "52.9"],
    }
    assert rows_of(tables, "Discontinuous gold entities that are not found") == [
        ["missed", "0.0", "23.5"],
        ["wrong linking", "0.0", "23.5"],
    ]


def test_difference_on_common_documents():
    """Only b and c are in both: F1 of 50 and 100, and each sample has a mixture of them."""
    group = ("subset", "all")
    first = VariantCounts(["a", "b", "c"], {group: np.array([[9, 9, 9], [1, 2, 2], [1, 2, 2]])})
    second = VariantCounts(["b", "c", "d"], {group: np.array([[2, 2, 2], [1, 2, 2], [0, 9, 9]])})
    value, low, high = difference(first, second, group, 500)
    assert value == pytest.approx(25)
    # samples of only c and only b
    assert (low, high) == (pytest.approx(0), pytest.approx(50))
