"""Compute confidence intervals for the difference between two models by paired bootstrap."""

from dataclasses import astuple
from pathlib import Path

import numpy as np
from wasabi import msg

from spacy_gapdner.analysis.tuning import tune
from spacy_gapdner.components.pipelines import check_model
from spacy_gapdner.formats import DOC_NAME, load_docs
from spacy_gapdner.inference.loading import load_recognizer
from spacy_gapdner.inference.predictions import compare_examples, predict_examples
from spacy_gapdner.pipe.scorer import Comparison, Counts, Tally, prf

from ..docbins import require_docbins
from ..tables import Table
from .runs import Run, find_runs
from .summary import SUBSETS, show
from .training import MODEL_BEST


def paired_bootstrap(
    first: Path,
    second: Path,
    data: Path,
    *,
    tune_on: Path | None = None,
    by_document: bool = False,
    n_resamples: int = 1000,
) -> tuple[Table, Table]:
    """Compare the best models of two groups of runs on annotated data, after tuning each on
    `tune_on`. The files of the models do not change.

    Docs, which are sentences in our data, are sampled with replacement, or all Docs of a document
    together if `by_document` is true. Each sample is the same for all models. The difference is the
    mean F1 of the second group minus the mean F1 of the first.

    RETURNS (tuple[Table, Table]): The scores of both groups, and the differences with intervals.
    """
    groups = [find_runs([folder]) for folder in (first, second)]
    for folder in (folder for runs in groups for folder in runs):
        check_model(folder / MODEL_BEST)
    for path in (data, tune_on):
        if path is not None:
            require_docbins(path)
    titles = [title for title, _ in SUBSETS]
    names, rows, samples, scores = [], [], [], []
    for runs in groups:
        name = ", ".join(dict.fromkeys(run.name for run in runs.values()))
        names.append(f"{name}, tuned" if tune_on else name)
        counts = np.stack(
            [_count(*item, data, tune_on, by_document) for item in runs.items()], axis=1
        )
        model_scores = _f1(counts.sum(axis=0))
        cells = [show(f, digits=1) for f in model_scores.T.tolist()]
        rows.append([names[-1], str(len(runs)), *cells])
        scores.append(model_scores.mean(axis=0))
        samples.append(_f1(resample(counts, n_resamples)).mean(axis=1))
    description = f"{data.name}, {len(counts)} {'documents' if by_document else 'Docs'}"
    title = f"F on {description}, mean ± sample sd over seeds"
    score_table = Table(title, ["Model", "Seeds", *titles], rows)
    differences = samples[1] - samples[0]
    low, high = 100 * np.percentile(differences, (2.5, 97.5), axis=0)
    positive = (differences > 0).mean(axis=0)
    rows = [
        [title, f"{difference:+.1f}", f"{low[i]:+.1f} to {high[i]:+.1f}", f"{positive[i]:.3f}"]
        for i, (title, difference) in enumerate(
            zip(titles, 100 * (scores[1] - scores[0]), strict=True)
        )
    ]
    header = ["Subset", "Difference in F", "95% interval", "Fraction above 0"]
    title = f"{names[1]} minus {names[0]} on {description}, {n_resamples} resamples"
    return score_table, Table(title, header, rows)


def count_subsets(compared: Comparison) -> dict[str, Counts]:
    """RETURNS (dict[str, Counts]): The counts of an example by subset. See `Tally`."""
    tally = Tally()
    tally.add(compared)
    return tally.groups["subset"]


def resample(counts: np.ndarray, n_resamples: int) -> np.ndarray:
    """RETURNS (ndarray): Sums of counts `(docs, ...)` in bootstrap samples `(n_resamples, ...)`."""
    n_docs = len(counts)
    # always the same, so that models are compared on the same documents
    rng = np.random.default_rng(0)
    shares = np.full(n_docs, 1 / n_docs)
    # number of times that each Doc is sampled
    samples = (rng.multinomial(n_docs, shares) for _ in range(n_resamples))
    return np.stack([np.tensordot(times, counts, axes=1) for times in samples])


def _f1(counts: np.ndarray) -> np.ndarray:
    # the last dimension has the numbers of correct, predicted and gold entities
    return prf(*np.moveaxis(counts, -1, 0))[2]


def _count(
    folder: Path, run: Run, data: Path, tune_on: Path | None, by_document: bool
) -> np.ndarray:
    # correct, predicted and gold entities, shape (docs or documents, subsets, 3)
    msg.text(f"{run.name}, seed {run.seed}")
    key = run.scores["dev"]["spans_key"]
    nlp, _ = load_recognizer(folder / MODEL_BEST, gold_key=key)
    if tune_on is not None:
        tune(nlp, load_docs(nlp, tune_on, key), spans_key=key)
    rows: dict[object, np.ndarray] = {}
    found = compare_examples(predict_examples(nlp, load_docs(nlp, data, key)), key)
    for number, (example, compared) in enumerate(found):
        counts = count_subsets(compared)
        row = [astuple(counts[suffix.removeprefix("_") or "all"]) for _, suffix in SUBSETS]
        name = example.reference.user_data.get(DOC_NAME, number) if by_document else number
        rows[name] = rows.get(name, 0) + np.array(row, dtype=float)
    return np.stack(list(rows.values()))
