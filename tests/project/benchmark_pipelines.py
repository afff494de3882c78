"""Tiny pipelines with each kind of encoder."""

import spacy
from tiny_pipeline import make_examples, model_config
from tiny_transformer import load_small_config

ENCODERS = ("transformer", "tok2vec", "tok2vec of its own")
SETTINGS = {"max_length": 12, "stride": 9}


def make_pipeline(encoder, bert):
    spacy.util.fix_random_seed(0)
    model = model_config()
    if encoder == "transformer":
        nlp = spacy.util.load_model_from_config(load_small_config(bert, **SETTINGS))
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
