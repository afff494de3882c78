"""Prediction in bfloat16 with a pipeline that was trained in float32."""

import torch
from spacy.language import Language
from thinc.api import Model
from torch import nn

from ..errors import GapDNERError
from .grid_network import GridNetwork
from .transformer import BatchingTransformerModel


def use_bf16(nlp: Language) -> None:
    """Make a pipeline multiply matrices in bfloat16, which is faster. The weights and scores stay
    in float32, and the setting is not saved with the pipeline.

    It applies to the networks of `gapdner` pipes and to transformers with the architecture
    `spacy-gapdner.TransformerModel.v1`.

    nlp (Language): The pipeline.
    RAISES (GapDNERError): If the device does not support bfloat16, or the pipeline has no such
        network.
    """
    parts = _find_parts(nlp)
    if not parts:
        raise GapDNERError(
            "No component of the pipeline supports bfloat16 "
            f"({', '.join(nlp.pipe_names) or 'it is empty'}). Use a pipeline with a trained "
            "gapdner component."
        )
    for _, module in parts:
        device = next(module.parameters()).device.type
        if not _supports_bf16(device):
            what = "GPU" if device == "cuda" else "CPU"
            raise GapDNERError(f"This {what} does not support bfloat16. Use float32.")
    for part, _ in parts:
        part.mixed_precision = True


def uses_bf16(nlp: Language) -> bool:
    """RETURNS (bool): Whether any part of a pipeline computes in bfloat16."""
    return any(part.mixed_precision for part, _ in _find_parts(nlp))


def _find_parts(nlp: Language) -> list[tuple[GridNetwork | BatchingTransformerModel, nn.Module]]:
    # the parts with a setting for the precision, and their PyTorch networks
    models = [getattr(pipe, "model", None) for _, pipe in nlp.pipeline]
    parts: list[tuple[GridNetwork | BatchingTransformerModel, nn.Module]] = []
    for node in [node for model in models if isinstance(model, Model) for node in model.walk()]:
        if isinstance(node, BatchingTransformerModel):
            parts.append((node, node.transformer))
        modules = [getattr(shim, "_model", None) for shim in node.shims]
        parts.extend((module, module) for module in modules if isinstance(module, GridNetwork))
    return parts


def _supports_bf16(device: str) -> bool:
    if device == "cuda":
        return torch.cuda.is_bf16_supported()
    # PyTorch has no public function for CPUs
    return torch.backends.mkldnn.is_available() and bool(
        torch.ops.mkldnn._is_mkldnn_bf16_supported()
    )
