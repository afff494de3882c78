"""Tiny pipelines on an encoder of each kind, and texts to measure them on."""

from pathlib import Path

import spacy
from tiny_pipeline import make_examples, model_config
from tiny_transformer import WIDTH

CONFIG = Path(__file__).parents[2] / "configs" / "gapdner_trf.cfg"
ENCODERS = ("transformer", "tok2vec", "tok2vec of its own")
SETTINGS = {"max_length": 12, "stride": 9}


def make_pipeline(encoder, bert):
    spacy.util.fix_random_seed(0)
    model = model_config()
    if encoder == "transformer":
        pipe = "components.gapdner"
        widths = ("hidden", "boundary", "grid", "attention")
        overrides = {f"{pipe}.model.{name}_width": WIDTH for name in widths}
        overrides |= {f"{pipe}.{name}": value for name, value in SETTINGS.items()}
        overrides["vars.transformer"] = str(bert)
        config = spacy.util.load_config(CONFIG, overrides=overrides, interpolate=True)
        nlp = spacy.util.load_model_from_config(config)
    else:
        nlp = spacy.blank("en")
        nlp.add_pipe("gapdner_sentencizer", name="sentencizer")
        if encoder == "tok2vec":
            nlp.add_pipe("tok2vec", config={"model": model["tok2vec"]})
            listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24}
            model["tok2vec"] = listener
        nlp.add_pipe("gapdner", config={"model": model, **SETTINGS})
    nlp.batch_size = 3
    nlp.initialize(lambda: make_examples(nlp))
    return nlp
