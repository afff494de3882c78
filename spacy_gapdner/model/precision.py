"""How precisely float32 matrices are multiplied: a setting of PyTorch that a config can hold."""

from collections.abc import Callable

import torch
from spacy.language import Language

PRECISIONS = ("highest", "high", "medium")


def make_matmul_precision(
    precision: str = "highest",
) -> Callable[[type[Language]], type[Language]]:
    """Create a callback for `[nlp.before_creation]` that sets the precision of the process.

    Registered as `spacy-gapdner.matmul_precision.v1`. Weights and results stay float32. The
    setting holds for all of PyTorch in the process, thus also for the transformer.

    precision (str): "highest" multiplies in float32, "high" in TF32 or two bfloat16 parts where
        the hardware can, "medium" in bfloat16 where it can (GPUs since Ampere, CPUs with
        AVX512-BF16 or AMX); see `torch.set_float32_matmul_precision`.
    RETURNS (Callable[[type[Language]], type[Language]]): The callback.
    RAISES (ValueError): If there is no such precision.
    """
    if precision not in PRECISIONS:
        raise ValueError(
            f"precision must be 'highest', 'high' or 'medium', but it is {precision!r}."
        )

    def set_precision(language: type[Language]) -> type[Language]:
        torch.set_float32_matmul_precision(precision)
        return language

    return set_precision
