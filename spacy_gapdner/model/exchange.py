"""Another encoder in a pipeline, to find out how fast that would be."""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_model_from_config
from spacy_transformers.data_classes import HFObjects
from thinc.api import get_torch_default_device
from transformers import AutoModel, BertConfig, PreTrainedTokenizerBase

from ..entities import Entity, set_entities
from .profiling import find_encoder

# Published sizes of BERT: layers, width
BERT_SIZES = {
    "tiny": (2, 128),
    "mini": (4, 256),
    "small": (4, 512),
    "medium": (8, 512),
    "base": (12, 768),
    "large": (24, 1024),
}
_HEAD_WIDTH = 64


def exchange_encoder(
    nlp: Language, name: str, *, encoder: str | None = None, random_size: str | None = None
) -> Language:
    """Make a pipeline of the same settings with another transformer. Nothing in it is trained.

    nlp (Language): The pipeline.
    name (str): The pipe's name in it.
    encoder (Optional[str]): Name of a Hugging Face model, or its directory.
    random_size (Optional[str]): Instead, one of `BERT_SIZES`: a BERT of this size with random
        weights, and the tokenizer of the present transformer.
    RETURNS (Language): The new pipeline: the components that set sentence boundaries without a
        model, the transformer and the pipe.
    RAISES (ValueError): If the pipeline has no component with a transformer.
    """
    old: Any = nlp.get_pipe(name)
    component = find_encoder(nlp, old.model).component
    if component is None or not hasattr(component.model, "transformer"):
        raise ValueError(
            "The pipeline has no transformer component. Its encoder cannot be exchanged."
        )
    rules = [n for n, part in nlp.pipeline if getattr(part, "model", None) is None]
    kept = [n for n in nlp.pipe_names if n in (*rules, component.name, name)]
    config = nlp.config.copy()
    config["nlp"]["pipeline"], config["nlp"]["disabled"] = kept, []
    config["components"] = {n: config["components"][n] for n in kept}
    if encoder is not None:
        config["components"][component.name]["model"]["name"] = encoder
    new = load_model_from_config(config, vocab=nlp.vocab, auto_fill=True)
    new.tokenizer, new.max_length = nlp.tokenizer, nlp.max_length
    transformer: Any = new.get_pipe(component.name)
    if random_size is not None:
        network = AutoModel.from_config(_bert_config(random_size, component.model.tokenizer))
        network.to(get_torch_default_device())
        parts = HFObjects(component.model.tokenizer, network, None)
        transformer.model.attrs["set_transformer"](transformer.model, parts)
    examples = [_make_example(nlp, old.labels[0], old.key)]
    transformer.initialize(lambda: examples, nlp=new)
    pipe: Any = new.get_pipe(name)
    pipe.initialize(lambda: examples, nlp=new, labels=old.labels)
    return new


def _bert_config(size: str, tokenizer: PreTrainedTokenizerBase) -> BertConfig:
    n_layers, width = BERT_SIZES[size]
    return BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=n_layers,
        num_attention_heads=width // _HEAD_WIDTH,
        intermediate_size=4 * width,
    )


def _make_example(nlp: Language, label: str, key: str) -> Example:
    doc = Doc(nlp.vocab, words=["x"])
    reference = doc.copy()
    set_entities(reference, [Entity.from_tokens(label, [0])], key)
    return Example(doc, reference)
