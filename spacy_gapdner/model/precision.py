"""Prediction in bfloat16 with a pipeline that was trained in float32."""

import torch
from spacy.language import Language
from thinc.api import Model

from ..errors import GapDNERError
from .grid_network import GridNetwork
from .transformer import BatchingTransformerModel
from .workarounds import bound_onednn_caches


def use_bf16(nlp: Language) -> None:
    """Make a pipeline multiply matrices in bfloat16, which is faster. The weights and scores stay
    in float32, and the setting is not saved with the pipeline.

    It applies to the networks of `gapdner` pipes and to transformers with the architecture
    `spacy-gapdner.TransformerModel.v1`.

    nlp (Language): The pipeline.
    RAISES (GapDNERError): If the device does not support bfloat16, or there is no such network.
    """
    parts = _find_parts(nlp)
    if not parts:
        raise GapDNERError(
            "No component of the pipeline supports bfloat16 "
            f"({', '.join(nlp.pipe_names) or 'it is empty'}). Use a pipeline with a trained "
            "gapdner component."
        )
    for part in parts:
        network = part.transformer if isinstance(part, BatchingTransformerModel) else part
        device = next(network.parameters()).device.type
        if not _supports_bf16(device):
            what = "GPU" if device == "cuda" else "CPU"
            raise GapDNERError(f"This {what} does not support bfloat16. Use float32.")
    bound_onednn_caches()
    for part in parts:
        part.mixed_precision = True


def uses_bf16(nlp: Language) -> bool:
    """RETURNS (bool): Whether any part of a pipeline computes in bfloat16."""
    return any(part.mixed_precision for part in _find_parts(nlp))


def _find_parts(nlp: Language) -> list[GridNetwork | BatchingTransformerModel]:
    # the parts with a setting for the precision
    models = [getattr(pipe, "model", None) for _, pipe in nlp.pipeline]
    nodes = [node for model in models if isinstance(model, Model) for node in model.walk()]
    networks = [getattr(shim, "_model", None) for node in nodes for shim in node.shims]
    kinds = GridNetwork | BatchingTransformerModel
    return [part for part in (*nodes, *networks) if isinstance(part, kinds)]


def _supports_bf16(device: str) -> bool:
    if device == "cuda":
        return torch.cuda.is_bf16_supported()
    # PyTorch has no public function for CPUs
    return torch.backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported()
