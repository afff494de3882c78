"""Evaluate a trained pipeline on annotated data."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import count_other_annotation
from ..inference.loading import find_pipe, temporary_settings
from ..inference.predictions import compare_examples, predict_examples
from ..pipe.calibration import calibration_error, reliability
from ..pipe.scorer import Counts, Positions, Tally
from .matching import MATCHES, count_matches


def evaluate(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    types: Collection[str] = (),
    batch_size: int | None = None,
) -> dict[str, Any]:
    """Evaluate a trained pipeline on annotated Docs. Memory use does not depend on their number.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities.
    spans_key (Optional[str]): Prefix of the span groups with gold entities. Defaults to the
        pipe's `spans_key`. Selects the pipe if the pipeline has several.
    types (Collection[str]): Types of the entities to score, gold and predicted. All types if empty.
    batch_size (Optional[int]): Docs per batch. Defaults to the batch size of the pipeline.
    RETURNS (dict[str, Any]): The scores of `spacy_gapdner.pipe.scorer.score_discontinuous`, and:

        - threshold, disc_threshold, type_thresholds, spans_key: the settings
        - docs, words: numbers of Docs and words
        - speed: words per second of the pipeline, including the tokenizer
        - crossing: number of gold entities that cross a sentence boundary and cannot be found
        - gold_per_type, gold_per_gap_length: numbers of gold entities by type and by gap length
        - reliability: the precision for each range of scores
        - calibration_error, disc_calibration_error: the expected calibration error for all and for
          discontinuous entities
        - labels_unknown_to_model: types of gold entities that the pipe has no labels for
        - gold_elsewhere: other annotation, if there are no gold entities
        - matches: p, r and f of the measures of `spacy_gapdner.analysis.matching`
    RAISES (GapDNERError): If the pipeline has no `gapdner` pipe, or the fragments of a gold entity
        have different labels.
    """
    pipe = find_pipe(nlp, spans_key)
    key = spans_key or pipe.key
    elsewhere: Counter[str] = Counter()
    # scores of predicted entities, and whether they are correct
    scored: list[tuple[float, bool]] = []
    disc_scored: list[tuple[float, bool]] = []
    tally = Tally()
    matches = {name: Counts() for name in MATCHES}
    n_docs = n_words = crossing = 0
    seconds: list[float] = []
    with temporary_settings(pipe, spans_key=key):
        examples = predict_examples(nlp, docs, batch_size, seconds)
        for example, compared in compare_examples(examples, key, types):
            n_docs += 1
            n_words += len(example.predicted)
            tally.add(compared)
            if not tally.groups["subset"]["all"].gold:
                elsewhere.update(count_other_annotation(example.reference, key))
            for name, counts in count_matches(compared.gold, compared.predicted).items():
                matches[name] += counts
            sentence = Positions(example.predicted).sentence
            for item in compared.gold:
                last = item.fragments[-1][1] - 1
                crossing += sentence(item) != sentence(item._replace(fragments=((last, last),)))
            for item, score in compared.scores.items():
                scored.append((score or 0.0, item in compared.gold))
                if item.is_discontinuous:
                    disc_scored.append(scored[-1])
    labels, gaps = (sorted(tally.groups[group].items()) for group in ("type", "gap_length"))
    gold = {label: counts.gold for label, counts in labels if counts.gold}
    if not tally.is_annotated:
        scored, disc_scored = [], []
    return {
        **{name: pipe.cfg[name] for name in ("threshold", "disc_threshold", "type_thresholds")},
        "spans_key": key,
        "docs": n_docs,
        "words": n_words,
        "speed": n_words / sum(seconds) if n_words else 0.0,
        **tally.scores(key),
        "crossing": crossing,
        "gold_per_type": gold,
        "gold_per_gap_length": {str(gap): counts.gold for gap, counts in gaps},
        "reliability": reliability(scored),
        "calibration_error": calibration_error(scored),
        "disc_calibration_error": calibration_error(disc_scored),
        "labels_unknown_to_model": sorted(gold.keys() - set(pipe.labels)),
        "gold_elsewhere": {} if gold else dict(sorted(elsewhere.items())),
        "matches": {name: tally.prf(counts) for name, counts in matches.items()},
    }
