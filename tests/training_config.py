"""A training config with a pipe `gapdner`, which tests can change."""

from thinc.api import Config
from tiny_pipeline import model_config

PIPE = {"factory": "gapdner", "max_length": 4, "stride": 2, "model": model_config()}
COMPONENTS = {"sentencizer": {"factory": "gapdner_sentencizer"}, "gapdner": PIPE}
CORPUS = {"@readers": "spacy.Corpus.v1", "path": None, "max_length": 0, "gold_preproc": False}
CONFIG = {
    "nlp": {"lang": "en", "pipeline": ["sentencizer", "gapdner"]},
    "components": COMPONENTS,
    "corpora": {"train": CORPUS},
    "training": {"annotating_components": ["sentencizer"], "max_steps": 6, "eval_frequency": 3},
}

# entities that this config, or any config, cannot learn
HARD = [
    ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5)), ("ADR", (0, 1), (3, 5))]),
    # the gap is an entity with one word, and the cell can only contain one label
    ("left heart valve defect seen .", [("Site", (0, 1), (2, 4)), ("Site", (1, 2))]),
    ("No pain . Fever came .", [("ADR", (1, 4))]),
    ("Nothing at all .", []),
]


def write_config(tmp_path, *changes):
    text = Config(CONFIG).to_str()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "a.cfg").write_text(text, encoding="utf8", errors="surrogateescape")
    return tmp_path / "a.cfg"
