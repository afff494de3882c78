"""Predict in bfloat16 with a pipeline that was trained in float32."""

import torch
from spacy.language import Language
from thinc.api import Model

from ..errors import GapDNERError
from .shim import NetworkShim


def use_bf16(nlp: Language) -> None:
    """Make a pipeline multiply matrices in bfloat16, which is faster. The weights and scores stay
    in float32, and the setting is not saved with the pipeline.

    It applies to the networks of `gapdner` pipes and to transformers with the architecture
    `spacy-gapdner.TransformerModel.v1`. On a CPU, call `apply_workarounds` first to save memory.

    nlp (Language): The pipeline.
    RAISES (GapDNERError): If the device does not support bfloat16, or there is no such network.
    """
    shims = [shim for shim in _find_shims(nlp) if shim.network is not None]
    if not shims:
        raise GapDNERError(
            "No component of the pipeline supports bfloat16 "
            f"({', '.join(nlp.pipe_names) or 'it is empty'}). Use a pipeline with a trained "
            "gapdner component."
        )
    for shim in shims:
        device = shim.device.type
        if not _supports_bf16(device):
            what = "GPU" if device == "cuda" else "CPU"
            raise GapDNERError(f"This {what} does not support bfloat16. Use float32.")
        shim.mixed_precision = True


def uses_bf16(nlp: Language) -> bool:
    """RETURNS (bool): Whether any part of a pipeline computes in bfloat16."""
    return any(shim.mixed_precision for shim in _find_shims(nlp))


def _find_shims(nlp: Language) -> list[NetworkShim]:
    models = [getattr(pipe, "model", None) for _, pipe in nlp.pipeline]
    nodes = [node for model in models if isinstance(model, Model) for node in model.walk()]
    return [shim for node in nodes for shim in node.shims if isinstance(shim, NetworkShim)]


def _supports_bf16(device: str) -> bool:
    if device == "cuda":
        return torch.cuda.is_bf16_supported()
    # PyTorch has no public function for CPUs
    return torch.backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported()
