from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.data_report import in_context, report_data
from spacy_gapdner.formats import blank_pipeline
from spacy_gapdner.tagging import SoftmaxTagging


def report(words, entities, **settings):
    nlp = blank_pipeline("en")
    doc = Doc(nlp.vocab, words=list(words))
    set_entities(doc, [Entity(label, fragments) for label, *fragments in entities])
    return report_data([doc], nlp, SoftmaxTagging(), **settings)


def test_entity_between_windows():
    found = report("abcdefgh", [("X", (2, 5))], max_length=4, stride=3)
    assert found.unheld.counts == {"cut by every window": 1}


def test_entity_in_two_windows_counts_once():
    entities = [("X", (3, 4)), ("X", (2, 3), (4, 5))]
    scheme = report("abcdefgh", entities, max_length=6, stride=2).scheme
    assert scheme.missed.counts == {"Gap lost its cell to type": 1}
    assert (scheme.ceiling.tp, scheme.ceiling.fp, scheme.ceiling.fn) == (1, 0, 1)
    assert (scheme.disc_ceiling.tp, scheme.disc_ceiling.fn) == (0, 1)


def test_spurious_entities():
    # the fragments and gaps of one type combine with those of the other
    entities = [("X", (0, 1), (2, 3), (4, 5)), ("Y", (0, 3), (4, 5))]
    scheme = report("abcdefg", entities).scheme
    assert scheme.missed.examples == {"type lost its cell to type": ["Y: «a b c» d «e» f g"]}
    assert scheme.spurious.examples == {"not annotated": ["X: «a b c» d «e» f g"]}
    assert (scheme.ceiling.tp, scheme.ceiling.fp, scheme.ceiling.fn) == (1, 1, 1)


def test_gaps_keep_entities_apart():
    # both pass through the token c
    entities = [("X", (0, 3), (6, 7)), ("X", (0, 1), (2, 4), (6, 7))]
    scheme = report("abcdefg", entities).scheme
    assert scheme.ceiling.fscore == 1.0
    assert (scheme.missed.counts, scheme.spurious.counts) == ({}, {})


def test_in_context():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    doc = Doc(Vocab(), words=words)
    entity = Entity("X", ((4, 5), (6, 7)))
    assert in_context(doc, entity) == "X: … two three four «five» six «seven» eight nine ten"
    assert in_context(doc, Entity("X", ((0, 1),))) == "X: «one» two three four …"
