"""A float32 pipeline that predicts in bfloat16."""

import pytest
import spacy
import torch
from tiny_pipeline import make_examples
from tiny_transformer import load_small_pipeline, save_bert
from torch import nn

from spacy_gapdner import GapDNERError, use_bf16
from spacy_gapdner.model import precision
from spacy_gapdner.model.precision import uses_bf16

TEXT = "severe joint and shoulder pain"


@pytest.fixture
def nlp(tmp_path):
    nlp = load_small_pipeline(save_bert(tmp_path, TEXT.split()))
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def product_dtypes(nlp):
    """The dtypes of the products of the transformer, and of the features of the grid network."""
    found = {}
    for name in ("transformer", "gapdner"):
        types = found[name] = set()
        shims = [shim for node in nlp.get_pipe(name).model.walk() for shim in node.shims]
        for layer in [layer for shim in shims for layer in shim._model.modules()]:
            # the grid network combines the products of several layers
            if isinstance(layer, nn.Linear if name == "transformer" else nn.GELU):
                layer.register_forward_hook(lambda *call, types=types: types.add(call[-1].dtype))
    nlp(TEXT)
    return found


def test_both_networks_use_bf16_and_it_is_not_saved(nlp, monkeypatch, tmp_path):
    # every CPU can compute in bfloat16, but it may be slow
    monkeypatch.setattr(precision, "_supports_bf16", lambda device: True)
    config = nlp.config.copy()
    use_bf16(nlp)
    assert uses_bf16(nlp)
    assert product_dtypes(nlp) == {"transformer": {torch.bfloat16}, "gapdner": {torch.bfloat16}}
    assert nlp.config == config
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert not uses_bf16(loaded)
    assert product_dtypes(loaded)["gapdner"] == {torch.float32}


def test_pipelines_and_cpus_without_bf16_are_refused(nlp, monkeypatch):
    with pytest.raises(GapDNERError, match="No component of the pipeline supports bfloat16"):
        use_bf16(spacy.blank("en"))
    monkeypatch.setattr(precision, "_supports_bf16", lambda device: device != "cpu")
    with pytest.raises(GapDNERError, match="This CPU does not support bfloat16"):
        use_bf16(nlp)
    assert not uses_bf16(nlp)
