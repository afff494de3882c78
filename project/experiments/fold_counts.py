"""Count the correct, predicted and gold entities of each document in the folds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gapdner import get_entities
from spacy_gapdner.analysis.matching import find_errors
from spacy_gapdner.formats.docbin import read_docbin
from spacy_gapdner.inference.predictions import compare_examples
from spacy_gapdner.pipe.scorer import Comparison, prf

from .cross_validation import PREDICTIONS_FILE, Task
from .folds import Folds
from .paired_bootstrap import count_subsets, resample

# upper limits of ranges of gap lengths and sentence lengths in tokens
_GAPS = (1, 2, 3, 6)
_SENTENCES = (10, 20, 40)
# group of entities and its value, such as ("type", "Drug") -> documents -> correct, predicted, gold
_ByGroup = dict[tuple[str, Any], dict[str, np.ndarray]]


@dataclass(frozen=True)
class VariantCounts:
    """The counts of a variant. Groups other than "subset" and "type" are discontinuous entities,
    and "error" are those that are not found, by the kind of the error.

    documents (list[str]): The documents of its folds, sorted.
    groups (dict[tuple[str, Any], ndarray]): The numbers of correct, predicted and gold entities by
        group and value `(n_documents, 3)`.
    """

    documents: list[str]
    groups: dict[tuple[str, Any], np.ndarray]

    def total(self, group: str, value: Any) -> np.ndarray:
        """RETURNS (ndarray): The sum over documents `(3,)`."""
        return self.groups.get((group, value), np.zeros((1, 3))).sum(axis=0)


def count_entities(tasks: Sequence[Task], folds: Folds) -> VariantCounts:
    """RETURNS (VariantCounts): The counts of the predictions of complete tasks of a variant."""
    numbers = {task.fold for task in tasks}
    documents = sorted(name for name, fold in folds.fold_of.items() if fold in numbers)
    counts: _ByGroup = defaultdict(lambda: defaultdict(lambda: np.zeros(3)))
    for task in tasks:
        key, vocab = task.config.spans_key, Vocab()
        train = read_docbin(Path(task.config.config["paths"]["train"]), vocab)
        known = {
            _text(e.label_, doc, e.token_indices) for doc in train for e in get_entities(doc, key)
        }
        predicted = read_docbin(task.folder / PREDICTIONS_FILE, vocab)
        gold = read_docbin(folds.test(task.fold), vocab)
        for example, compared in compare_examples(map(Example, predicted, gold), key):
            document = folds.document(example.reference)
            for group, found in _count(compared, example.reference, known):
                counts[group][document] += found
    groups = {
        group: np.stack([by_document[name] for name in documents])
        for group, by_document in counts.items()
    }
    return VariantCounts(documents, groups)


def _count(
    compared: Comparison, doc: Doc, known: set[str]
) -> Iterator[tuple[tuple[str, Any], tuple[float, float, float]]]:
    for subset, counts in count_subsets(compared).items():
        yield ("subset", subset), astuple(counts)
    positions = compared.positions
    for item in compared.gold | compared.predicted:
        is_gold, is_predicted = item in compared.gold, item in compared.predicted
        found = float(is_gold and is_predicted), float(is_predicted), float(is_gold)
        label, fragments = item
        yield ("type", label), found
        if len(fragments) > 1:
            tokens = positions.tokens(item)
            gaps = [(first[1], second[0]) for first, second in pairwise(fragments)]
            text = _text(label, doc, tokens.token_indices)
            sentence = doc[tokens.start].sent if doc.has_annotation("SENT_START") else doc
            yield ("disc type", label), found
            yield ("gap", _range(positions.count_tokens(gaps), _GAPS)), found
            yield ("fragments", len(fragments)), found
            yield ("known", text in known), found
            yield ("sentence", _range(len(sentence), _SENTENCES)), found
    for kind, missed, _ in find_errors(compared.gold, compared.predicted):
        if missed is not None and len(missed[1]) > 1:
            yield ("error", kind), (0.0, 0.0, 1.0)


def _range(number: int, limits: tuple[int, ...]) -> tuple[int, int | None]:
    # the first range that contains the number; the last one has no end
    starts = [1, *(limit + 1 for limit in limits)]
    index = sum(number > limit for limit in limits)
    return starts[index], (*limits, None)[index]


def _text(label: str, doc: Doc, tokens: Iterable[int]) -> str:
    return " ".join([label, *(doc[i].text.lower() for i in tokens)])


def f1(counts: np.ndarray) -> np.ndarray:
    """RETURNS (ndarray): F1 in percent. The last dimension of the counts has the three numbers."""
    return 100 * prf(*np.moveaxis(counts, -1, 0))[2]


def difference(
    first: VariantCounts, second: VariantCounts, group: tuple[str, Any], n_resamples: int
) -> tuple[float, float, float]:
    """RETURNS (tuple[float, float, float]): F1 of the second variant minus F1 of the first on the
    documents of both, and its 95% interval by paired bootstrap over documents.
    """
    both = {*first.documents} & {*second.documents}
    # the documents of both are in the same order
    sides = [side.groups[group][[n in both for n in side.documents]] for side in (first, second)]
    pair = np.stack(sides, axis=1)
    old, new = f1(pair.sum(axis=0))
    samples = f1(resample(pair, n_resamples))
    low, high = np.percentile(samples[:, 1] - samples[:, 0], (2.5, 97.5))
    return float(new - old), float(low), float(high)
