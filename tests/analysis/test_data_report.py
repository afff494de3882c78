from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.data_check import in_context, report_data
from spacy_gapdner.formats import blank_pipeline
from spacy_gapdner.grid import SoftmaxTagging


def make_report(words, entities, **windows):
    nlp = blank_pipeline("en")
    doc = Doc(nlp.vocab, words=list(words))
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities])
    return report_data([doc], nlp, SoftmaxTagging(), **windows)


def ceiling(report):
    score = report.scheme.ceiling
    return score.tp, score.fp, score.fn


def test_entity_between_windows():
    report = make_report("abcdefgh", [("X", [2, 3, 4])], max_length=4, stride=3)
    assert report.unheld.counts == {"cut by every window": 1}


def test_entity_in_two_windows_counts_once():
    entities = [("X", [3]), ("X", [2, 4])]
    report = make_report("abcdefgh", entities, max_length=6, stride=2)
    assert report.scheme.missed.counts == {"Gap lost its cell to type": 1}
    assert ceiling(report) == (1, 0, 1)


def test_a_type_that_loses_its_cell():
    # the fragments and gaps of one type combine with those of the other
    report = make_report("abcdefg", [("X", [0, 2, 4]), ("Y", [0, 1, 2, 4])])
    assert report.scheme.missed.examples == {"type lost its cell to type": ["Y: «a b c» d «e» f g"]}
    assert report.scheme.spurious.examples == {"not annotated": ["X: «a b c» d «e» f g"]}
    assert ceiling(report) == (1, 1, 1)


def test_gaps_keep_entities_apart():
    # both pass through the token c
    report = make_report("abcdefg", [("X", [0, 1, 2, 6]), ("X", [0, 2, 3, 6])])
    assert report.scheme.spurious.counts == {}
    assert ceiling(report) == (2, 0, 0)


def test_in_context():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    doc = Doc(Vocab(), words=words)
    entity = Entity("X", ((4, 5), (6, 7)))
    assert in_context(doc, entity) == "X: … two three four «five» six «seven» eight nine ten"
    assert in_context(doc, Entity("X", ((0, 1),))) == "X: «one» two three four …"
