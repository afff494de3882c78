"""A tiny BERT with random weights, saved as Hugging Face models are, and a config with it."""

from pathlib import Path

import spacy

WIDTH = 16
N_POSITIONS = 64
CONFIG = Path(__file__).parents[1] / "configs" / "gapdner_trf.cfg"


def save_bert(path, pieces, *, n_layers=1, **settings):
    """Save a model and its tokenizer, whose vocabulary is the given word pieces.

    Dropout is off unless the settings say otherwise.
    """
    from transformers import BertConfig, BertModel, BertTokenizerFast

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces]
    (path / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf8")
    tokenizer = BertTokenizerFast(str(path / "vocab.txt"), model_max_length=N_POSITIONS)
    tokenizer.save_pretrained(path)
    sizes = {"vocab_size": len(vocabulary), "max_position_embeddings": N_POSITIONS}
    sizes |= {"hidden_size": WIDTH, "intermediate_size": 2 * WIDTH}
    sizes |= {"num_hidden_layers": n_layers, "num_attention_heads": 2}
    no_dropout = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    spacy.util.fix_random_seed(0)
    BertModel(BertConfig(**sizes, **{**no_dropout, **settings})).save_pretrained(path)
    return path


def load_small_pipeline(bert, max_length=12, stride=9):
    """The pipeline of `configs/gapdner_trf.cfg` with this BERT and a small network without dropout.
    It is not initialized."""
    spacy.util.fix_random_seed(0)
    widths = ("hidden_width", "boundary_width", "grid_width", "attention_width")
    network = {**dict.fromkeys(widths, WIDTH), "word_dropout": 0.0}
    overrides = {f"components.gapdner.model.{name}": value for name, value in network.items()}
    settings = {"transformer": str(bert), "max_length": max_length, "stride": stride}
    overrides |= {f"vars.{name}": value for name, value in settings.items()}
    config = spacy.util.load_config(CONFIG, overrides=overrides, interpolate=True)
    # spaCy's own, because the tests of the core use nothing else of the package
    config["components"]["sentencizer"] = {"factory": "sentencizer"}
    del config["corpora"], config["training"]["logger"], config["initialize"]["before_init"]
    return spacy.util.load_model_from_config(config, auto_fill=True)
