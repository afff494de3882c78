"""Recognizing training that does not learn."""

import re
import warnings
from collections.abc import Mapping

# Number of evaluations after which missing discontinuous entities are reported
N_EVALUATIONS = 5


class TrainingProgress:
    """The batches, evaluations and warnings since `initialize` or loading."""

    def __init__(self) -> None:
        self.n_batches = 0
        self._evaluated_at = 0
        self._n_without_disc = 0
        self._last_rate: float | None = None
        self._warned: set[str] = set()

    def warn_once(self, message: str, kind: str = "") -> None:
        """Show a warning, unless one of its kind, or that only differs in numbers, was shown."""
        text = kind or re.sub(r"\d+", "", message)
        if text not in self._warned:
            self._warned.add(text)
            warnings.warn(message, stacklevel=4)

    def add_batch(self, learn_rate: float) -> bool:
        """RETURNS (bool): Whether the learning rate was 0 in two batches in a row. A single batch
        is normal, because a warmup starts at 0.
        """
        is_zero = learn_rate == self._last_rate == 0
        self._last_rate = learn_rate
        self.n_batches += 1
        return is_zero

    def add_evaluation(self, counts: Mapping[str, int]) -> bool:
        """RETURNS (bool): Whether this is the fifth evaluation in a row that found no discontinuous
        entity, by the counts of the scorer. Evaluations without training in between do not count.
        """
        if self.n_batches == self._evaluated_at:
            return False
        self._evaluated_at = self.n_batches
        is_missing = counts.get("disc_gold") and not counts["disc_correct"]
        self._n_without_disc = self._n_without_disc + 1 if is_missing else 0
        return self._n_without_disc == N_EVALUATIONS
