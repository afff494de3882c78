"""Save a tiny trained pipeline of every kind, with what it predicts, for the versions to come.

At each release, once its version and its entry in CHANGELOG.md are set, run

    python tests/saved_models/make.py

and commit the folder that it makes, which is never changed afterwards. tests/test_saved_models.py
loads what all versions have saved. Where a new version means to predict otherwise, it says so
there.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from thinc.api import Adam, Config

import spacy_gapdner
from spacy_gapdner import Entity, get_entities, set_entities

HERE = Path(__file__).parent
CONFIGS = HERE.parents[1] / "configs"
# Every config with labels or a network of its own: one has its transformer, the others the small
# encoder of gapdner_cpu.cfg
KINDS = {
    "cpu": "gapdner_cpu.cfg",
    "trf": "gapdner_trf.cfg",
    "zlpr": "gapdner_zlpr_trf.cfg",
    "paper": "paper_cadec.cfg",
    "w2ner": "w2ner_trf.cfg",
    "toe": "toe_trf.cfg",
}
WITH_TRANSFORMER = "trf"
# One has settings changed after it was trained
TUNED = "cpu"
ENTITIES = [
    ("Severe joint and shoulder pain today .", [("ADR", [0, 1, 4]), ("ADR", [0, 3, 4])]),
    ("Pain in left arm after aspirin .", [("ADR", [0, 1, 2, 3]), ("Body", [2, 3]), ("Drug", [5])]),
    ("He took aspirin twice .", [("Drug", [2])]),
    ("No complaints so far .", []),
]
# One that is learned by heart, and one that is none of the training
TEXTS = [ENTITIES[0][0], "Severe pain after aspirin ."]
WIDTH = 8


def make(folder: Path) -> None:
    """Save a pipeline of each kind, and their predictions in `expected.json`.

    folder (Path): The folder to make.
    """
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, nlp in train_all():
        nlp.to_disk(folder / name)
        expected[name] = [predictions(nlp, text) for text in TEXTS]
    text = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
    # a line for each pipeline
    text = text.replace('],"', '],\n"') + "\n"
    (folder / "expected.json").write_text(text, encoding="utf8")


def predictions(nlp: Language, text: str) -> dict[str, Any]:
    """Annotate a text.

    nlp (Language): The pipeline.
    text (str): The text.
    RETURNS (dict[str, Any]): The text, its entities with label, tokens and score, and the scores of
        its grids.
    """
    doc = nlp(text)
    pipe = nlp.get_pipe("gapdner")
    grids = pipe.model.predict(([doc], pipe.segments([doc])))
    return {
        "text": text,
        "entities": [
            [entity.label_, list(entity.token_indices), round(entity.score, 5)]
            for entity in get_entities(doc)
        ],
        "grids": [grid.round(4).tolist() for grid in grids],
    }


def train_all() -> Iterator[tuple[str, Language]]:
    """YIELDS (tuple[str, Language]): The name and the pipeline of each kind."""
    for name, path in KINDS.items():
        nlp = train(small_config(CONFIGS / path, transformer=name == WITH_TRANSFORMER))
        if name == TUNED:
            change_settings(nlp.get_pipe("gapdner"))
        yield name, nlp


def change_settings(pipe: Any) -> None:
    """Change what is saved beside the config."""
    from spacy_gapdner.calibration import Calibration, Line

    pipe.threshold = 0.125
    pipe.max_length, pipe.stride = 64, 32
    pipe.calibration = Calibration(Line(0.75, 0.25), Line(0.75, 0.5))
    pipe.type_thresholds = {"Drug": 0.0625}


def small_config(path: Path, *, transformer: bool) -> Config:
    """Read a config and make it small.

    path (Path): The config.
    transformer (bool): Whether it keeps its transformer.
    RETURNS (Config): The config.
    """
    config = load_config(path, overrides={"vars.transformer": "bert"} if transformer else {})
    config["nlp"]["lang"] = "xx"
    model = config["components"]["gapdner"]["model"]
    if transformer:
        model["tok2vec"] = dict(model["tok2vec"])
    else:
        config["nlp"]["pipeline"] = [n for n in config["nlp"]["pipeline"] if n != "transformer"]
        config["components"].pop("transformer", None)
        cpu = load_config(CONFIGS / KINDS["cpu"], interpolate=True)
        model["tok2vec"] = cpu["components"]["gapdner"]["model"]["tok2vec"]
    _shrink(model)
    return config


def _shrink(block: dict[str, Any]) -> None:
    for key, value in block.items():
        if isinstance(value, dict):
            _shrink(value)
        elif key.endswith("width"):
            block[key] = WIDTH
        elif key.endswith("dropout"):
            block[key] = 0.0
        elif key == "rows":
            block[key] = [30] * len(value)
        elif key == "depth":
            block[key] = 1
        elif key == "n_heads":
            block[key] = 2


def train(config: Config, max_steps: int = 120) -> Language:
    """Train a pipeline on ENTITIES, until it finds the first.

    config (Config): The config.
    max_steps (int): Updates with the whole corpus at most.
    RETURNS (Language): The pipeline.
    """
    spacy.util.fix_random_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        # the config names it without a path, which would be saved
        _in_folder(folder, lambda: _save_bert(Path("bert")))
        nlp = load_model_from_config(config, auto_fill=True)
        # by whitespace: the rules of a language would be most of what is saved
        nlp.tokenizer = Tokenizer(nlp.vocab)
        examples = [_example(nlp, text, entities) for text, entities in ENTITIES]
        optimizer = Adam(0.002)
        _in_folder(folder, lambda: nlp.initialize(lambda: examples, sgd=optimizer))
        annotates = [name for name in nlp.pipe_names if name == "sentencizer"]
        for step in range(1, max_steps + 1):
            nlp.update(examples, sgd=optimizer, annotates=annotates)
            if step % 20 == 0 and _found(nlp, ENTITIES[0][0]) == ENTITIES[0][1]:
                break
    return nlp


def _found(nlp: Language, text: str) -> list[tuple[str, list[int]]]:
    entities = get_entities(nlp(text))
    return sorted((entity.label_, list(entity.token_indices)) for entity in entities)


def _in_folder(folder: str, function: Callable[[], object]) -> None:
    before = Path.cwd()
    os.chdir(folder)
    try:
        function()
    finally:
        os.chdir(before)


def _example(nlp: Language, text: str, entities: list[tuple[str, list[int]]]) -> Example:
    words = text.split()
    gold = Doc(nlp.vocab, words=words, spaces=[True] * (len(words) - 1) + [False])
    set_entities(gold, [Entity.from_tokens(label, tokens) for label, tokens in entities])
    return Example(nlp.make_doc(text), gold)


def _save_bert(path: Path) -> None:
    from transformers import BertConfig, BertModel, BertTokenizerFast

    path.mkdir()
    words = sorted({word.lower() for text, _ in ENTITIES for word in text.split()})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (path / "vocab.txt").write_text("\n".join(pieces), encoding="utf8")
    BertTokenizerFast(str(path / "vocab.txt"), model_max_length=64).save_pretrained(path)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=2 * WIDTH,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    BertModel(config).save_pretrained(path)


if __name__ == "__main__":
    make(HERE / spacy_gapdner.__version__)
