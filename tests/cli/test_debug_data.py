import json

import pytest
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.data_report import default_schemes, in_context, report_data
from spacy_gapdner.cli.debug_data import debug_data
from spacy_gapdner.formats import blank_pipeline

TRAIN = [
    ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5)), ("ADR", (0, 1), (3, 5))]),
    # a one-word gap that is itself an entity: softmax cannot hold both
    ("left heart valve defect seen .", [("Site", (0, 1), (2, 4)), ("Site", (1, 2))]),
    ("No pain . Fever came .", [("ADR", (1, 4))]),
    ("Nothing at all .", []),
]
DEV = [
    ("Nothing at all .", []),
    ("Severe joint and shoulder pain today .", [("ADR", (0, 1), (3, 5))]),
    ("He took aspirin .", [("Drug", (2, 3))]),
]

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
@misc = "spacy-gapdner.SoftmaxTagging.v1"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = null
max_length = 0
gold_preproc = false

[training]
annotating_components = ["sentencizer"]
"""


@pytest.fixture
def train(write_docs, tmp_path):
    """The sentences above, and one whose entity is part of a word."""
    path = write_docs("train.spacy", TRAIN)
    docbin = DocBin().from_disk(path)
    words = ["A", "pre", "test", "."]
    doc = Doc(Vocab(), words=words, spaces=[True, False, True, False])
    set_entities(doc, [Entity("ADR", ((2, 3),))])
    docbin.add(doc)
    docbin.to_disk(path)
    return path


def write_config(tmp_path, *changes):
    text = CONFIG
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "a.cfg").write_text(text)
    return tmp_path / "a.cfg"


def test_findings(run, train, write_docs, tmp_path):
    output = tmp_path / "new" / "a.json"
    result = run("debug-data", train, "--dev", write_docs("dev.spacy", DEV), "-o", output)
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for expected in (
        "sentences of sentencizer; those over 128 tokens in windows, stride 96",
        "train: 6 segments, longest 7 tokens (49 cells)",
        "dev: 2 different segments are in train too, 1 with entities",
        # 6 gold entities, of which 3 are discontinuous; 2 cannot be found with any scheme
        "softmax 66.67 80.00 1 0 gap is an entity: 1",
        "multilabel 80.00 100.00 0 0",
        "multilabel per type 80.00 100.00 0 0",
        "W2NER (used) 80.00 100.00 0 0",
        "TOE 80.00 100.00 0 0",
        "train, not whole tokens: 1",
        "ADR: A «pretest» .",
        "train, crosses a sentence boundary: 1",
        "ADR: No «pain . Fever» came .",
        "ℹ train: 1 of 5 Docs have no entity.",
        "ℹ dev: types of train that it lacks: Site.",
        "⚠ train: 1 entity cannot be found (not whole tokens).",
        "⚠ train: 1 entity cannot be found (crosses a sentence boundary).",
        "⚠ dev: the type Drug (1 entity) is not in train.",
        "⚠ train: the type ADR has only 4 entities.",
    ):
        assert any(expected in line for line in lines), expected
    data = json.loads(output.read_text())
    assert data["settings"] == {
        "lang": "en",
        "sentence_components": ["sentencizer"],
        "spans_key": "gapdner",
        "max_length": 128,
        "stride": 96,
        "scheme": "W2NER",
    }
    assert data["shared"] == {"segments": 2, "with_entities": 1}
    assert data["train"]["statistics"]["entities"] == 6
    assert data["train"]["unheld"] == {
        "counts": {"crosses a sentence boundary": 1},
        "examples": {"crosses a sentence boundary": ["ADR: No «pain . Fever» came ."]},
    }
    softmax = data["train"]["schemes"]["softmax"]
    assert softmax["ceiling"] == pytest.approx({"p": 1.0, "r": 0.5, "f": 2 / 3})
    assert softmax["missed"]["examples"] == {
        "gap is an entity": ["Site: «left» heart «valve defect» seen ."]
    }
    assert data["dev"]["schemes"]["softmax"]["ceiling"]["f"] == 1.0
    assert len(data["problems"]) == 5


def test_data_without_problems(run, write_docs):
    sentence = ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5))])
    result = run("debug-data", write_docs(annotated=[sentence] * 20))
    assert result.exit_code == 0
    assert "No problem found" in result.stdout


def test_settings_of_the_config(train, tmp_path):
    findings = debug_data(train, config_path=write_config(tmp_path))
    assert (findings.setup.max_length, findings.setup.stride) == (4, 2)
    assert findings.setup.tagging.name == "softmax"
    assert findings.setup.nlp.pipe_names == ["sentencizer"]
    assert findings.setup.traps == []
    report = findings.reports["train"]
    # severe ... pain is 5 tokens; left ... defect is 4 and fills the first window
    assert report.unheld.counts == {"longer than max_length": 2, "crosses a sentence boundary": 1}
    assert report.longest_segment == 4
    assert findings.hints[-1].startswith("train: the scheme multilabel could reach")


def test_entity_between_windows(write_docs):
    nlp = blank_pipeline("en")
    doc = Doc(nlp.vocab, words=list("abcdefgh"))
    set_entities(doc, [Entity("X", ((2, 5),))])
    report = report_data([doc], nlp, default_schemes(), max_length=4, stride=3)
    assert report.unheld.counts == {"cut by every window": 1}


def test_entity_in_two_windows_counts_once():
    nlp = blank_pipeline("en")
    doc = Doc(nlp.vocab, words=list("abcdefgh"))
    set_entities(doc, [Entity("X", ((3, 4),)), Entity("X", ((2, 3), (4, 5)))])
    report = report_data([doc], nlp, default_schemes(), max_length=6, stride=2)
    softmax, multilabel = report.schemes["softmax"], report.schemes["multilabel"]
    assert softmax.missed.counts == {"gap is an entity": 1}
    assert (softmax.ceiling.tp, softmax.ceiling.fp, softmax.ceiling.fn) == (1, 0, 1)
    assert (multilabel.ceiling.tp, multilabel.ceiling.fp, multilabel.ceiling.fn) == (2, 0, 0)


def test_spurious_entities():
    nlp = blank_pipeline("en")
    doc = Doc(nlp.vocab, words=list("abcdefg"))
    # the fragments and gaps of one type combine with those of the other
    entities = [("X", (0, 1), (2, 3), (4, 5)), ("Y", (0, 3), (4, 5))]
    set_entities(doc, [Entity(label, fragments) for label, *fragments in entities])
    report = report_data([doc], nlp, default_schemes())
    assert report.schemes["multilabel"].spurious.counts == {"not annotated": 2}
    assert report.schemes["multilabel"].ceiling.fp == 2
    assert report.schemes["multilabel per type"].spurious.counts == {}
    assert report.schemes["TOE"].spurious.counts == {"not annotated": 2}
    w2ner = report.schemes["W2NER"]
    assert w2ner.missed.examples == {"type conflict": ["Y: «a b c» d «e» f g"]}
    assert w2ner.spurious.examples == {"not annotated": ["X: «a b c» d «e» f g"]}
    assert (w2ner.ceiling.tp, w2ner.ceiling.fp, w2ner.ceiling.fn) == (1, 1, 1)


def test_gaps_keep_entities_apart_that_chains_mix_up():
    nlp = blank_pipeline("en")
    doc = Doc(nlp.vocab, words=list("abcdefg"))
    # both pass through the token c
    set_entities(doc, [Entity.from_tokens("X", tokens) for tokens in ([0, 1, 2, 6], [0, 2, 3, 6])])
    report = report_data([doc], nlp, default_schemes())
    spurious = {name: found.spurious.counts.total() for name, found in report.schemes.items()}
    assert spurious == {
        "softmax": 0,
        "multilabel": 0,
        "multilabel per type": 0,
        "W2NER": 2,
        "TOE": 2,
    }
    assert report.schemes["TOE"].spurious.examples["not annotated"] == [
        "X: «a» b «c» d e f «g»",
        "X: «a b c d» e f «g»",
    ]


def test_in_context():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    doc = Doc(Vocab(), words=words)
    entity = Entity("X", ((4, 5), (6, 7)))
    assert in_context(doc, entity) == "X: … two three four «five» six «seven» eight nine ten"
    assert in_context(doc, Entity("X", ((0, 1),))) == "X: «one» two three four …"


@pytest.mark.parametrize(
    ("old", "new", "trap"),
    [
        ("max_length = 0", "max_length = 500", "[corpora.train] max_length = 500"),
        ("gold_preproc = false", "gold_preproc = true", "[corpora.train] gold_preproc"),
        ('= ["sentencizer"]', "= []", "'sentencizer' is not in [training] annotating_components"),
        ('["sentencizer","gapdner"]', '["gapdner","sentencizer"]', "comes after 'gapdner'"),
        ('"gapdner_sentencizer"', '"senter"', "are not known before training"),
        ("stride = 2", 'stride = 2\nspans_key = "other"', "lacks spans_other_f"),
    ],
)
def test_traps(train, tmp_path, old, new, trap):
    findings = debug_data(train, config_path=write_config(tmp_path, (old, new)))
    (found,) = findings.setup.traps
    assert trap in found
    assert found in findings.problems


def test_shipped_configs_have_no_traps(train, request):
    configs = sorted((request.config.rootpath / "configs").glob("*.cfg"))
    assert configs
    for config in configs:
        assert debug_data(train, config_path=config).setup.traps == []


def test_other_spans_key(run, write_docs):
    result = run("debug-data", write_docs(key="gold"))
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "no entities under the spans key 'gapdner'. There are some under gold." in text
    result = run("debug-data", write_docs(key="gold"), "-sk", "gold")
    assert "no entities under" not in result.stdout


def test_bad_data(fails, write_docs, tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    good = write_docs()
    fails("There is nothing at", "debug-data", tmp_path / "missing.json")
    fails("There is no file", "debug-data", tmp_path / "missing.spacy")
    fails("There is nothing at", "debug-data", good, "--dev", tmp_path / "missing")
    fails("gapdner convert", "debug-data", write("a.ann", b"T1\tX 0 1\ta\n"))
    fails("is not a .spacy file, or is cut off", "debug-data", write("a.spacy", b""))
    fails("is not a .spacy file", "debug-data", write("b.spacy", good.read_bytes()[:90]))
    fails("holds no document", "debug-data", write_docs("c.spacy", []))
    fails("is a folder", "debug-data", good, "-o", tmp_path)
    fails("zz", "debug-data", good, "--lang", "zz")
    doc = Doc(Vocab(), words=["a", "b"])
    doc.spans["gapdner_1"] = SpanGroup(doc, spans=[Span(doc, 0, 1, "X"), Span(doc, 1, 2, "Y")])
    DocBin(docs=[doc]).to_disk(tmp_path / "d.spacy")
    fails("carry different labels", "debug-data", tmp_path / "d.spacy")


SECOND = """[components.second]
factory = "gapdner"

[corpora]
"""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("[nlp]", "nlp]")], "is no valid config"),
        ([("max_length = 4", "max_length = four")], "is no valid config"),
        ([("stride = 2", "stride = 5")], "stride"),
        ([("SoftmaxTagging", "NoTagging")], "is no valid config"),
        ([('factory = "gapdner"', 'factory = "ner"')], "no component with the factory gapdner"),
        ([('"sentencizer","gapdner"', '"tagger","gapdner"')], "names tagger in [nlp] pipeline"),
        (
            [('"sentencizer",', '"second",'), ("[corpora]\n", SECOND)],
            "has several pipes: second (gapdner), gapdner (gapdner)",
        ),
    ],
)
def test_bad_config(fails, train, tmp_path, changes, message):
    fails(message, "debug-data", train, "--config", write_config(tmp_path, *changes))


def test_files_that_are_no_config(fails, train, tmp_path):
    fails("There is no file", "debug-data", train, "-c", tmp_path / "missing.cfg")
    (tmp_path / "a.cfg").write_bytes(b'[nlp]\nlang = "\xe9"')
    fails("is not UTF-8: byte 0xe9", "debug-data", train, "-c", tmp_path / "a.cfg")
    (tmp_path / "a.cfg").write_text("")
    fails("a.cfg", "debug-data", train, "-c", tmp_path / "a.cfg")
    fails("is not UTF-8", "debug-data", train, "-c", train)
