"""A training config with a pipe `gapdner`, which tests can change."""

CONFIG = """
[nlp]
lang = "en"
pipeline = ["sentencizer","gapdner"]

[components]

[components.sentencizer]
factory = "gapdner_sentencizer"

[components.gapdner]
factory = "gapdner"
max_length = 4
stride = 2

[components.gapdner.model]
@architectures = "spacy-gapdner.GapDNER.v1"

[components.gapdner.model.tagging]
@misc = "spacy-gapdner.GapAwareTagging.v1"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = null
max_length = 0
gold_preproc = false

[training]
annotating_components = ["sentencizer"]
"""


def write_config(tmp_path, *changes):
    text = CONFIG
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "a.cfg").write_text(text, encoding="utf8", errors="surrogateescape")
    return tmp_path / "a.cfg"
