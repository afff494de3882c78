from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.data_report import default_schemes, in_context, report_data
from spacy_gapdner.formats import blank_pipeline


def test_entity_between_windows():
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
