"""Warnings if training makes no progress."""

import re
import warnings
from collections.abc import Collection, Iterable, Mapping

from spacy.language import Language
from spacy.tokens import Doc

from ..docs import get_sentences

# Number of evaluations after which missing discontinuous entities are reported
N_EVALUATIONS = 5


class TrainingProgress:
    """The batches, evaluations and warnings since `initialize` or loading."""

    def __init__(self) -> None:
        self.n_batches = 0
        # whether documents had sentence boundaries in training
        self.has_sentences = False
        self._evaluated_at = 0
        self._n_without_disc = 0
        self._last_rate: float | None = None
        self._warned: set[str] = set()

    def warn_once(self, message: str, kind: str = "") -> None:
        """Show a warning, unless one of this kind, or that differs only in numbers, was shown."""
        text = kind or re.sub(r"\d+", "", message)
        if text not in self._warned:
            self._warned.add(text)
            warnings.warn(message, stacklevel=4)

    def add_batch(self, name: str, learn_rate: float | None) -> None:
        """Warn if the learning rate was 0 twice in a row. Once is normal: a warmup starts at 0."""
        if learn_rate == self._last_rate == 0:
            self.warn_once(
                f"'{name}' does not learn, because the learning rate is 0. If it has a schedule, "
                "call optimizer.step_schedules() after each nlp.update()."
            )
        self._last_rate = learn_rate
        self.n_batches += 1

    def check_sentences(self, name: str, docs: Iterable[Doc]) -> None:
        """Warn if sentences are predicted, but only complete documents have been learned."""
        learned = self.n_batches and not self.has_sentences
        if learned and any(len(get_sentences(doc)) > 1 for doc in docs):
            self.warn_once(
                f"'{name}' predicts on sentences, but is trained on complete documents. Add the "
                "component that splits sentences to [training] annotating_components, or to "
                "annotates in nlp.update()."
            )

    def check_types(self, name: str, gold: Mapping[str, int], labels: Collection[str]) -> None:
        """Warn if there are no gold entities, or entities of unknown types."""
        unknown = [type for type in sorted(gold) if type not in labels]
        if not gold:
            self.warn_once(f"The examples have no gold entities, so '{name}' cannot be scored.")
        elif unknown:
            numbers = ", ".join(f"{type} ({gold[type]})" for type in unknown)
            message = f"'{name}' has no labels for these types of gold entities: {numbers}."
            self.warn_once(message, kind=repr(unknown))

    def add_evaluation(self, name: str, counts: Mapping[str, int]) -> None:
        """Warn at the fifth evaluation in a row that found no discontinuous entity, by the counts
        of the scorer. Evaluations without training in between do not count.
        """
        if self.n_batches == self._evaluated_at:
            return
        self._evaluated_at = self.n_batches
        is_missing = counts.get("disc_gold") and not counts["disc_correct"]
        self._n_without_disc = self._n_without_disc + 1 if is_missing else 0
        if self._n_without_disc == N_EVALUATIONS:
            self.warn_once(
                f"'{name}' has not found any of {counts['disc_gold']} discontinuous entities in "
                f"{N_EVALUATIONS} evaluations. The last one was after {self.n_batches} batches. "
                "These entities are learned late. Train longer (total_steps), add synthetic "
                "sentences to the training data (coordination_augmenter), lower disc_threshold, or "
                "check the data with gapdner debug-data."
            )


def check_score_weights(nlp: Language, name: str, key: str) -> None:
    """Warn if the score weights of a config are for the key of no pipe, and not for this one."""
    weights = nlp.config["training"]["score_weights"]
    weighted = [score for score, weight in weights.items() if weight]
    cfgs = [getattr(pipe, "cfg", None) for _, pipe in nlp.components]
    keys = {key, *(cfg.get("spans_key") for cfg in cfgs if isinstance(cfg, dict))}
    unknown = [
        score
        for score in weighted
        if score.startswith("spans_") and not any(score.startswith(f"spans_{k}_") for k in keys)
    ]
    if unknown and not any(score.startswith(f"spans_{key}_") for score in weighted):
        warnings.warn(
            f"'{name}' has the spans_key {key!r}, but [training.score_weights] has weights for "
            f"{', '.join(unknown)}. Set the weights of spans_{key}_f and spans_{key}_disc_f "
            "instead. Otherwise, spacy train cannot select the best model.",
            stacklevel=3,
        )
