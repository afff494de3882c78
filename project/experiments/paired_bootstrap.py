"""Which differences between two models are real: a paired bootstrap over documents."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from wasabi import msg

from spacy_gapdner import tune
from spacy_gapdner.analysis.evaluation import count_row
from spacy_gapdner.analysis.matching import MatchTally
from spacy_gapdner.analysis.pipes import load_pipeline
from spacy_gapdner.analysis.predictions import compare_examples, predict_examples
from spacy_gapdner.formats import load_docs
from spacy_gapdner.formats.docbin import require_docbins
from spacy_gapdner.loading import check_model
from spacy_gapdner.scorer import Tally

from ..tables import Table
from .runs import Run, find_run_files, read_run
from .summary import NO_SCORE, SUBSETS, summarize
from .training import MODEL_BEST

_TAILS = (2.5, 97.5)


def paired_bootstrap(
    first: Path,
    second: Path,
    data: Path,
    *,
    tune_on: Path | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> tuple[Table, Table]:
    """Compare the kept models of two groups of runs on annotated data.

    Documents are drawn with replacement, the same ones for all models, and the mean F1 over the
    seeds of the one group is taken from that of the other.

    first (Path): Folder with the runs of the first group, each with its best model.
    second (Path): Folder with those of the second.
    data (Path): .spacy file, or folder of such, to score on.
    tune_on (Optional[Path]): Choose calibration and threshold of every model on these data before;
        the models' files stay as they are.
    n_resamples (int): How often documents are drawn.
    seed (int): Seed of the draws.
    RETURNS (tuple[Table, Table]): The scores of both groups, and the differences with intervals.
    RAISES (GapDNERError): If a folder holds no run with a model, or the data cannot be used.
    """
    groups = [_find_models(folder) for folder in (first, second)]
    for path in (data, tune_on):
        if path is not None:
            require_docbins(path)
    names, counts = [], []
    for models in groups:
        name = ", ".join(dict.fromkeys(run.name for run in models.values()))
        names.append(f"{name}, tuned" if tune_on else name)
        counts.append(np.stack([_count(*item, data, tune_on) for item in models.items()]))
    n_docs = counts[0].shape[1]
    drawn = np.random.default_rng(seed).multinomial(
        n_docs, np.full(n_docs, 1 / n_docs), size=n_resamples
    )
    # the first row is the data as they are
    weights = np.concatenate([np.ones((1, n_docs)), drawn])
    f1 = [mean_f1(group, weights) for group in counts]
    description = f"{data.name}, {n_docs} Docs"
    return (
        _scores_table(names, counts, description),
        _difference_table(names, f1[1] - f1[0], description),
    )


def mean_f1(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute the mean F1 of several models on weighted documents.

    counts (ndarray): Correct, predicted and gold entities, shape `(models, docs, subsets, 3)`.
    weights (ndarray): How often each document counts, shape `(rows, docs)`.
    RETURNS (ndarray): Mean over the models, shape `(rows, subsets)`; 0 where a model has neither
        a gold nor a predicted entity.
    """
    correct, predicted, gold = np.moveaxis(np.tensordot(counts, weights, axes=(1, 1)), 2, 0)
    return (2 * correct / np.maximum(predicted + gold, 1)).mean(axis=0).T


def _find_models(folder: Path) -> dict[Path, Run]:
    models = {path.parent / MODEL_BEST: read_run(path) for path in find_run_files(folder)}
    for model in models:
        check_model(model)
    return models


def _count(model: Path, run: Run, data: Path, tune_on: Path | None) -> np.ndarray:
    """RETURNS (ndarray): Correct, predicted and gold entities, shape `(docs, subsets, 3)`."""
    msg.text(f"{run.name}, seed {run.seed}")
    key = run.scores["dev"]["spans_key"]
    nlp, _ = load_pipeline(model, spans_key=key)
    if tune_on is not None:
        tune(nlp, load_docs(nlp, tune_on, key), spans_key=key)
    rows = []
    for _, compared in compare_examples(predict_examples(nlp, load_docs(nlp, data, key)), key):
        tally = Tally()
        tally.add(compared)
        counts = count_row(tally, MatchTally())
        rows.append([counts[ending.removeprefix("_") or "all"] for _, ending in SUBSETS])
    return np.array(rows, dtype=float)


def _scores_table(names: Sequence[str], counts: Sequence[np.ndarray], data: str) -> Table:
    rows = []
    for name, group in zip(names, counts, strict=True):
        every = np.ones((1, group.shape[1]))
        f1 = np.concatenate([mean_f1(model[None], every) for model in group])
        statistics = [summarize(column) for column in f1.T.tolist()]
        cells = [NO_SCORE if s is None else s.format(digits=1) for s in statistics]
        rows.append([name, str(len(group)), *cells])
    header = ["Model", "Seeds", *(title for title, _ in SUBSETS)]
    return Table(f"F on {data}, mean ± sample sd over seeds", header, rows)


def _difference_table(names: Sequence[str], differences: np.ndarray, data: str) -> Table:
    rows = []
    low, high = np.percentile(differences[1:], _TAILS, axis=0)
    greater = (differences[1:] > 0).mean(axis=0)
    for i, (title, _) in enumerate(SUBSETS):
        interval = f"{100 * low[i]:+.1f} to {100 * high[i]:+.1f}"
        rows.append([title, f"{100 * differences[0, i]:+.1f}", interval, f"{greater[i]:.3f}"])
    header = ["Subset", "Difference in F", "95% interval", "Share above 0"]
    title = f"{names[1]} less {names[0]} on {data}, {len(differences) - 1} resamples"
    return Table(title, header, rows)
