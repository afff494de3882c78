"""Check the number of batches of a training."""

from collections.abc import Mapping
from typing import Any


def check_length(training: Mapping[str, Any]) -> str:
    """RETURNS (str): What is wrong with the number of batches in `[training]`, or an empty
    string.
    """
    n_batches, frequency = training.get("max_steps"), training.get("eval_frequency")
    if not isinstance(n_batches, int) or not isinstance(frequency, int) or frequency <= 0:
        return ""
    if n_batches % frequency == 0:
        return ""
    if n_batches < frequency:
        return (
            f"[training] max_steps = {n_batches} is less than eval_frequency = {frequency}. The "
            "only evaluation is before the training, so model-best is untrained. Set "
            f"training.eval_frequency to {n_batches}."
        )
    return (
        f"[training] max_steps = {n_batches} is not a multiple of eval_frequency = {frequency}. "
        "Batches after the last evaluation are not in model-best. Change one."
    )
