import json
from weakref import WeakSet

import pytest
from spacy import registry
from spacy.training import Corpus as DocBinCorpus
from spacy.util import minibatch
from thinc.api import Adam, ConfigValidationError
from tiny_pipeline import make_nlp

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import convert
from spacy_gapdner.training.corpus import Corpus

TEXT = "Severe joint and shoulder pain.\nNo rash today.\n"
ANN = "T1\tADR 0 12;26 30\tSevere joint pain\nT2\tADR 0 6;17 30\tSevere shoulder pain\n"
ANN += "T3\tSign 35 39\trash\n"


@pytest.fixture
def data(write):
    return write({"brat/a.txt": TEXT, "brat/a.ann": ANN}) / "brat"


def found(examples):
    return [[(e.label_, e.text) for e in get_entities(x.reference)] for x in examples]


def test_same_examples_as_the_converted_corpus(data, nlp, tmp_path):
    convert(data, tmp_path / "a.spacy")
    ours, theirs = list(Corpus(data)(nlp)), list(DocBinCorpus(tmp_path / "a.spacy")(nlp))
    assert found(ours) == found(theirs)
    assert found(ours)[1] == [("Sign", "rash")]
    for our, their in zip(ours, theirs, strict=True):
        assert our.to_dict()["token_annotation"] == their.to_dict()["token_annotation"]
        assert our.predicted.text == their.predicted.text
        assert get_entities(our.predicted) == ()
    assert found(Corpus(tmp_path / "a.spacy")(nlp)) == found(theirs)


def test_long_strings_are_split_as_in_the_reference(write, nlp):
    text = "pain " + "(" * 3000
    data = write({"brat/a.txt": text, "brat/a.ann": "T1\tADR 0 4\tpain\n"}) / "brat"
    (example,) = Corpus(data)(nlp)
    assert len(example.predicted) == len(example.reference) == 3001
    (example,) = Corpus(write({"brat/a.txt": "pain " + "x" * 1500}) / "brat")(nlp)
    assert [len(token) for token in example.predicted] == [4, 1000, 500]


def test_settings(data, nlp, tmp_path):
    assert len(list(Corpus(data, limit=1)(nlp))) == 1
    adrs = [("ADR", "Severe joint pain"), ("ADR", "Severe shoulder pain")]
    assert found(Corpus(data, format="brat", types=["ADR"])(nlp)) == [adrs, []]
    assert found(Corpus(data, n_sents=0)(nlp)) == [[*adrs, ("Sign", "rash")]]
    (example,) = Corpus(data, n_sents=0, spans_key="gold")(nlp)
    assert len(get_entities(example.reference, "gold")) == 3
    twice = Corpus(data, augmenter=lambda nlp, example: iter([example, example]))
    assert len(list(twice(nlp))) == 4
    reader = {"@readers": "spacy-gapdner.Corpus.v1", "path": str(data), "types": "ADR,Sign"}
    with pytest.raises(ConfigValidationError, match="types"):
        registry.resolve({"train": reader})
    with pytest.raises(GapDNERError, match="brat has no option split"):
        list(Corpus(data, options={"split": "train"})(nlp))


def test_dropped_entities_are_logged_once(data, nlp, caplog):
    (data / "a.ann").write_text("T1\tADR 26 39\tpain. No rash\n")
    corpus = Corpus(data)
    for _ in range(2):
        list(corpus(nlp))
    assert caplog.text.count("1 dropped (entity crosses a sentence boundary)") == 1


def test_missing_path(tmp_path):
    make = registry.readers.get("spacy-gapdner.Corpus.v1")
    with pytest.raises(GapDNERError, match=r"no path\. Set paths\.train"):
        make(None)
    with pytest.raises(GapDNERError, match="Path not found: "):
        make(tmp_path / "x")


def test_training_only_keeps_a_batch_of_examples_in_memory(tmp_path):
    entity = {"label": "SYMPTOM", "fragments": [{"start": 0, "end": 5}]}
    line = json.dumps({"text": "fever", "entities": [entity]})
    (tmp_path / "a.jsonl").write_text(f"{line}\n" * 200)
    references, counts = WeakSet(), []

    def count(nlp, example):
        references.add(example.reference)
        counts.append(len(references))
        yield example

    nlp = make_nlp()
    corpus, optimizer = Corpus(tmp_path / "a.jsonl", augmenter=count), Adam(0.001)
    for batch in minibatch(corpus(nlp), size=16):
        nlp.update(batch, sgd=optimizer)
    nlp.initialize(lambda: corpus(nlp))
    # initialization reads the corpus once
    assert len(counts) == 400
    assert max(counts) <= 2 * 16 + 2
