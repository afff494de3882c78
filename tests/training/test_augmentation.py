import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.training.augmentation import make_oversampling_augmenter


def test_oversampling():
    nlp = spacy.blank("en")
    augmenter = make_oversampling_augmenter(times=2, spans_key="key")

    def augment(*tokens):
        doc = Doc(nlp.vocab, words=["T", "and", "B", "cells"])
        set_entities(doc, [Entity.from_tokens("CL", tokens)], "key")
        predicted = Doc(nlp.vocab, words=["T", "and", "B", "cells"])
        return list(augmenter(nlp, Example(predicted, doc)))

    assert len(augment(2, 3)) == 1
    first, *copies = augment(0, 3)
    assert len(copies) == 2
    assert all(copy.reference is first.reference for copy in copies)
    # each is predicted independently
    assert len({id(one.predicted) for one in (first, *copies)}) == 3
