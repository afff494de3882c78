from itertools import chain

import pytest
from named_docs import save_named
from tiny_pipeline import CORPUS, read_docs, save_corpus

from project.experiments.folds import document_name, make_folds
from spacy_gapdner.errors import GapDNERError

TRIALS = [f"trial{number}" for number in range(7)]


@pytest.fixture
def data(tmp_path):
    names = [f"{trial}_{part}" for trial in TRIALS for part in ("inc", "exc")]
    first = save_named(tmp_path / "a.spacy", names[:9])
    return [first, save_named(tmp_path / "b.spacy", names[9:])]


def trials_of(path):
    return [document_name(doc, "_") for doc in read_docs(path)]


def test_folds_have_complete_documents(data, tmp_path):
    folds = make_folds(data, tmp_path / "folds", 3, "_")
    tests = [trials_of(folds.test(fold)) for fold in range(3)]
    assert sorted(len({*trials}) for trials in tests) == [2, 2, 3]
    assert sorted(chain(*tests)) == sorted(TRIALS * 2 * len(CORPUS))
    for fold, trials in enumerate(tests):
        assert {folds.fold_of[trial] for trial in trials} == {fold}
        train = trials_of(folds.train(fold))
        assert sorted(train + trials) == sorted(TRIALS * 2 * len(CORPUS))
        assert {*trials_of(folds.dev(fold))} <= {*train}


def test_parts_of_the_training_documents(data, tmp_path):
    folds = make_folds(data, tmp_path / "folds", 7, "_")
    sizes = [{*trials_of(folds.train(0, n))} for n in (1, 2, 5)]
    assert [len(trials) for trials in sizes] == [1, 2, 5]
    assert sizes[0] < sizes[1] < sizes[2]
    tune, train = trials_of(folds.tune(0, 2)), trials_of(folds.train(0, n_tune=2))
    assert (len({*tune}), len({*train})) == (2, 4)
    assert not {*tune} & {*train}
    with pytest.raises(GapDNERError, match=r"on 5 documents and tune on 2.*have 6"):
        folds.train(0, 5, 2)


def test_existing_folds(data, tmp_path):
    folder = tmp_path / "folds"
    folds = make_folds(data, folder, 3, "_")
    before = folds.test(0).stat().st_mtime_ns
    assert make_folds(data, folder, 3, "_").fold_of == folds.fold_of
    assert folds.test(0).stat().st_mtime_ns == before
    with pytest.raises(GapDNERError, match="belongs to other data"):
        make_folds(data[:1], folder, 3, "_")
    with pytest.raises(GapDNERError, match="8 folds need as many documents, but the data has 7"):
        make_folds(data, folder, 8, "_")
    unnamed = save_corpus(tmp_path / "unnamed.spacy")
    with pytest.raises(GapDNERError, match="without the names of their documents"):
        make_folds([unnamed], tmp_path / "others", 2)
