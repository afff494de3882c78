"""The scores of a trained pipeline on annotated data."""

from collections import Counter
from collections.abc import Iterable
from timeit import default_timer
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..calibration import calibration_error, reliability
from ..entities import count_elsewhere, get_spans_keys
from ..errors import GapDNERError
from ..scorer import Comparison, Positions, Tally, count
from .bootstrap import bootstrap_intervals
from .matching import MatchTally
from .pipes import changed, find_pipe
from .predictions import Judged, compare_examples, judge_predictions, predict_examples

_SETTINGS = ("threshold", "disc_threshold", "type_thresholds")


def evaluate(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    batch_size: int | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    """Score a trained pipeline on annotated Docs, one batch in memory at a time.

    nlp (Language): The pipeline. The settings of its pipe, such as the threshold, hold.
    docs (Iterable[Doc]): Docs with gold entities.
    spans_key (Optional[str]): Prefix of the span groups with gold entities; the pipe's own if
        None. It also chooses one of several pipes.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    bootstrap (int): Draw the Docs so many times with replacement, for intervals; 0 for none.
    seed (int): Seed of these draws.
    RETURNS (dict[str, Any]): The scores of `spacy_gapdner.scorer.score_discontinuous`, and the
        pipe's `threshold`, `disc_threshold` and `type_thresholds`, the `spans_key`,
        `docs`, `words`, `speed` (words per second, tokenization included), `crossing` (gold
        entities that cross the pipeline's sentences, and cannot be found), `gold_per_type` (number
        of gold entities), `reliability` (how often the entities of each range of scores are
        right), `calibration_error` and, of discontinuous entities alone, `disc_calibration_error`
        (see `spacy_gapdner.calibration.calibration_error`), `labels_unknown_to_model`,
        `spans_keys_found` (all prefixes in the data), `gold_elsewhere` (where there is no gold
        entity, see `spacy_gapdner.entities.count_elsewhere`), and `matches` (p, r and f of the
        measures of `spacy_gapdner.analysis.matching`). With `bootstrap` also `intervals`: by
        subset and measure the bounds of the 95% intervals of p, r and f.
    RAISES (GapDNERError): If the pipeline has no such pipe, or the fragments of a gold entity
        carry different labels, or `bootstrap` is negative.
    """
    if bootstrap < 0:
        raise GapDNERError(f"bootstrap must be at least 0, but it is {bootstrap}.")
    pipe = find_pipe(nlp, spans_key)
    gold: Counter[str] = Counter()
    keys: set[str] = set()
    elsewhere: Counter[str] = Counter()
    judged: list[Judged] = []
    tally, matches = Tally(), MatchTally()
    counted = [count_row(tally, matches)]
    n_words = crossing = 0
    key = spans_key or pipe.key
    with changed(pipe, spans_key=key):
        settings = {name: pipe.cfg[name] for name in _SETTINGS}
        start = default_timer()
        examples = predict_examples(nlp, docs, batch_size)
        for example, compared in compare_examples(examples, key):
            n_words += len(example.predicted)
            keys.update(get_spans_keys(example.reference))
            gold.update(label for label, _ in compared.gold)
            if not gold:
                elsewhere.update(count_elsewhere(example.reference, key))
            tally.add(compared)
            matches.add(compared)
            counted.append(count_row(tally, matches))
            crossing += _count_crossing(example, compared)
            judged.extend(judge_predictions(example, compared, key))
        seconds = default_timer() - start
    every = [(j.score, j.correct) for j in judged]
    torn = [(j.score, j.correct) for j in judged if j.discontinuous]
    scores = {
        **settings,
        "spans_key": key,
        "docs": len(counted) - 1,
        "words": n_words,
        "speed": n_words / seconds,
        **tally.scores(key),
        "crossing": crossing,
        "gold_per_type": {label: gold[label] for label in sorted(gold)},
        "reliability": [part._asdict() for part in reliability(every)],
        "calibration_error": calibration_error(every),
        "disc_calibration_error": calibration_error(torn),
        "labels_unknown_to_model": sorted(set(gold) - set(pipe.labels)),
        "spans_keys_found": sorted(keys),
        "gold_elsewhere": {} if gold else dict(sorted(elsewhere.items())),
        "matches": {name: match.to_dict() for name, match in matches.matches.items()},
    }
    if bootstrap and len(counted) > 1:
        rows = np.array([list(row.values()) for row in counted])
        intervals = bootstrap_intervals(np.diff(rows, axis=0), bootstrap, seed)
        scores["intervals"] = dict(zip(counted[0], intervals, strict=True))
        scores |= {"bootstrap": bootstrap, "seed": seed}
    return scores


def count_row(tally: Tally, matches: MatchTally) -> dict[str, tuple[float, float, float]]:
    """RETURNS (dict[str, tuple[float, float, float]]): By subset ("all", "disc", ...) and measure
    the correct, predicted and gold entities so far, of which differences are those of single Docs.
    """
    return {
        **{subset: count(score) for subset, score in tally.subsets.items()},
        **{name: (m.correct, m.predicted, m.gold) for name, m in matches.matches.items()},
    }


def _count_crossing(example: Example, compared: Comparison) -> int:
    sentences = Positions(example.predicted).sentence
    ends = ((item, (item[0], ((item[1][-1][1] - 1,) * 2,))) for item in compared.gold)
    return sum(sentences(first) != sentences(last) for first, last in ends)
