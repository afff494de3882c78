"""Tiny pipelines on an encoder of each kind, and texts to measure them on."""

from pathlib import Path

import spacy
from spacy.training import Example
from tiny_pipeline import CORPUS, make_doc, model_config
from tiny_transformer import WIDTH

CONFIG = Path(__file__).parents[2] / "configs" / "gapdner_trf.cfg"
ENCODERS = (
    "spacy-gapdner.TransformerModel.v1",
    "spacy-transformers.TransformerModel.v3",
    "tok2vec",
    "tok2vec of its own",
)


def load_transformer_config(architecture, bert, mixed_precision):
    overrides = {
        "vars.transformer": str(bert),
        "components.transformer.model.@architectures": architecture,
        "components.transformer.model.mixed_precision": mixed_precision,
        **{
            f"components.gapdner.model.{name}_width": WIDTH
            for name in ("hidden", "boundary", "grid", "attention")
        },
        "components.gapdner.max_length": 12,
        "components.gapdner.stride": 9,
        "nlp.batch_size": 3,
    }
    return spacy.util.load_config(CONFIG, overrides=overrides, interpolate=True)


def make_pipeline(encoder, bert, *, mixed_precision=False):
    spacy.util.fix_random_seed(0)
    if encoder.endswith(("v1", "v3")):
        nlp = spacy.util.load_model_from_config(
            load_transformer_config(encoder, bert, mixed_precision)
        )
    else:
        nlp = spacy.blank("en")
        nlp.batch_size = 3
        nlp.add_pipe("gapdner_sentencizer", name="sentencizer")
        settings = {"max_length": 12, "stride": 9}
        model = model_config()
        if encoder == "tok2vec":
            nlp.add_pipe("tok2vec", config={"model": model["tok2vec"]})
            listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24}
            model["tok2vec"] = listener
        nlp.add_pipe("gapdner", config={"model": model, **settings})
    docs = [make_doc(nlp, text, entities) for text, entities in CORPUS]
    nlp.initialize(lambda: [Example(doc.copy(), doc) for doc in docs])
    return nlp
