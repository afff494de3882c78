from dataclasses import replace
from pathlib import Path

import pytest
from python_process import run_python
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tiny_pipeline import gold_docs, make_doc, save_corpus, trained_pipeline
from training_config import HARD, write_config

from spacy_gapdner.entities import Entity
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import blank_pipeline
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.pipe.scorer import Counts
from spacy_gapdner.training.data_check import check_data, why_unassigned
from spacy_gapdner.training.training_config import make_training_config

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture
def train():
    return gold_docs(Vocab(), HARD)


def test_settings_of_the_config(train, tmp_path):
    findings = check_data(train, config=write_config(tmp_path))
    assert (findings.config.max_length, findings.config.stride) == (4, 2)
    assert isinstance(findings.config.tagging, GapAwareTagging)
    assert findings.config.nlp.pipe_names == ["sentencizer"]
    assert findings.config.mistakes == []
    report = findings.reports["train"]
    # severe ... pain is 5 tokens; left ... defect is 4 and fills the first window
    lengths = {reason: len(entities) for reason, entities in report.unlearnable.items()}
    assert lengths == {"longer than max_length": 2, "crosses a sentence boundary": 1}
    assert report.longest_segment == 4


def test_sentences_of_user_hooks():
    doc = Doc(Vocab(), words=list("abcdef"), sent_starts=[True, *[False] * 5])
    entity = Entity("A", ((0, 5),))
    assert why_unassigned(entity, doc, 4) == "longer than max_length"
    doc.user_hooks["sents"] = lambda doc: [doc[0:3], doc[3:6]]
    assert why_unassigned(entity, doc, 4) == "crosses a sentence boundary"


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("max_length = 0", "max_length = 500", "[corpora.train] max_length = 500"),
        ("gold_preproc = false", "gold_preproc = true", "[corpora.train] gold_preproc"),
        ('= ["sentencizer"]', "= []", "'sentencizer' is not in [training] annotating_components"),
        ('["sentencizer", "gapdner"]', '["gapdner", "sentencizer"]', "comes after 'gapdner'"),
        ('"gapdner_sentencizer"', '"senter"', "not sentencizer."),
        ("max_steps = 6", "max_steps = 7", "not a multiple of eval_frequency = 3"),
        ("max_steps = 6", "max_steps = 2", "so model-best is untrained"),
    ],
)
def test_mistakes(train, tmp_path, old, new, mistake):
    findings = check_data(train, config=write_config(tmp_path, (old, new)))
    (found,) = findings.config.mistakes
    assert mistake in found
    assert found in findings.problems


def test_sourced_components(train, tmp_path):
    nlp = trained_pipeline()
    nlp.to_disk(tmp_path / "trained")
    source = f'source = "{tmp_path / "trained"}"'
    pipe = f"[components.gapdner]\n{source}\n"
    text = f'[nlp]\nlang = "en"\npipeline = ["splitter","gapdner"]\n[components]\n{pipe}'
    config = tmp_path / "sourced.cfg"
    splitter = f'[components.splitter]\n{source}\ncomponent = "sentencizer"\n'
    config.write_text(f"{text}{splitter}[training]\nannotating_components = []\n")
    findings = check_data(train, config=config)
    assert findings.config.nlp.pipe_names == ["splitter"]
    assert findings.config.max_length == nlp.get_pipe("gapdner").cfg["max_length"]
    (mistake,) = findings.config.mistakes
    assert "'splitter' is not in [training] annotating_components" in mistake


def test_config_without_the_component(train, tmp_path):
    config = write_config(tmp_path, ('["sentencizer", "gapdner"]', '["sentencizer"]'))
    with pytest.raises(GapDNERError, match=r"\.cfg: \[nlp\] pipeline has no component"):
        check_data(train, config=config)


@pytest.mark.slow
def test_factories_of_a_new_process(tmp_path):
    config = write_config(
        tmp_path, ('["sentencizer", "gapdner"]', '["sentencizer", "ner", "gapdner"]')
    )
    text = config.read_text() + '\n[components.ner]\nfactory = "ner"\n'
    config.write_text(text)
    save_corpus(tmp_path / "a.spacy")
    arguments = "debug-data", tmp_path / "a.spacy", "--config", config
    printed = run_python("-m", "spacy", "gapdner", *arguments)
    assert "Sentences split by gapdner_sentencizer." in printed


def test_shipped_configs_have_no_mistakes(train, request):
    configs = sorted((request.config.rootpath / "configs").glob("*.cfg"))
    assert [config.stem for config in configs] == ["gapdner_cpu", "gapdner_trf", "paper"]
    for config in configs:
        assert check_data(train, config=config).config.mistakes == []


def make_report(words, entities, **windows):
    config = replace(make_training_config(blank_pipeline()), **windows)
    doc = make_doc(config.nlp, words, entities)
    return check_data([doc], config=config).reports["train"]


def test_entities_and_windows():
    report = make_report("a b c d e f g h", [("X", [2, 3, 4])], max_length=4, stride=3)
    assert report.unlearnable == {"does not fit into any window": ["X: a b «c d e» f g h"]}
    # an entity in two windows is counted once
    report = make_report("a b c d e f g h", [("X", [3]), ("X", [2, 4])], max_length=6, stride=2)
    assert report.missed == {"Gap is overridden by type": ["X: a b «c» d «e» f g h"]}
    assert report.ceiling == Counts(1, 1, 2)


def test_type_that_loses_its_cell():
    # the fragments and gaps of one type combine with those of the other
    report = make_report("a b c d e f g", [("X", [0, 2, 4]), ("Y", [0, 1, 2, 4])])
    assert report.missed == {"type is overridden by type": ["Y: «a b c» d «e» f g"]}
    assert report.spurious == {"not annotated": ["X: «a b c» d «e» f g"]}
    assert report.ceiling == Counts(1, 2, 2)
    # gaps separate entities that share a token
    report = make_report("a b c d e f g", [("X", [0, 1, 2, 6]), ("X", [0, 2, 3, 6])])
    assert report.ceiling == Counts(2, 2, 2)


def test_long_segments():
    config = replace(make_training_config(blank_pipeline()), max_length=600)
    doc = make_doc(config.nlp, "a " * 520, [("X", [0])])
    long, *others = check_data([doc], [doc], config=config).problems
    assert long.startswith("train: the longest segment has 520 tokens, so its grid has 270400")
    # the types are the same
    assert not any("do not occur" in problem for problem in others)
