"""Gold entities on the tokens of a predicted Doc that was tokenized differently."""

import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gapdner.entities import Entity, set_entities
from spacy_gapdner.entities.alignment import align_entities


def align(reference, predicted, entities, key="gapdner"):
    vocab = Vocab()
    gold = Doc(vocab, words=reference)
    set_entities(gold, entities, key)
    return align_entities(Example(Doc(vocab, words=predicted), gold), key)


@pytest.mark.parametrize(
    ("reference", "predicted", "gold", "moved", "exact"),
    [
        ("joint shoulder pain", "joint shoulder pain", [0, 2], [0, 2], True),
        # finer predicted tokens: the entity takes all parts of its tokens
        ("upper-body aches pain", "upper - body aches pain", [0, 2], [0, 1, 2, 4], True),
        ("upper-body pain", "upper - body pain", [1], [3], True),
        # coarser tokens: complete tokens stay complete
        ("upper - body pain", "upper-body pain", [0, 1, 2, 3], [0, 1], True),
        # a coarser token crosses the end, the start, or both boundaries
        ("upper - body pain", "upper-body pain", [0], [0], False),
        ("upper - body pain", "upper -bodypain", [2, 3], [1], False),
        ("a b c d", "ab cd", [1, 2], [0, 1], False),
        # the gap disappears, so that only one fragment is left
        ("a b c d", "abc d", [0, 2], [0], False),
        ("a b c d", "ab c d", [0, 2], [0, 1], False),
        # the change is in the gap
        ("a b c d", "a bc d", [0, 3], [0, 2], True),
        # whitespace that is a token on one side only does not create a gap
        ("a b c", "a \n b c", [0, 1], [0, 1, 2], True),
        ("a \n b c", "a b c", [0, 2], [0, 1], True),
        ("a \n b c", "a b c", [0, 1, 2], [0, 1], True),
        ("a \n b c", "a bc", [0, 1, 2], [0, 1], False),
        # other gaps are kept
        ("a b c", "a \n b c", [0, 2], [0, 3], True),
        ("a \n b - c", "a \n b-c", [0, 2, 3, 4], [0, 2], True),
        # an entity of whitespace cannot be aligned
        ("a b \n", "a b", [2], [1], False),
    ],
)
def test_truth_table(reference, predicted, gold, moved, exact):
    entity = Entity.from_tokens("ADE", gold)
    aligned, unaligned = align(reference.split(" "), predicted.split(" "), [entity])
    assert (aligned if exact else unaligned) == [Entity.from_tokens("ADE", moved)]
    assert (unaligned if exact else aligned) == []


def test_each_entity_is_aligned_separately():
    entities = [Entity("A", ((0, 2),)), Entity("B", ((0, 1),)), Entity("A", ((0, 1), (2, 3)))]
    aligned, unaligned = align(["a", "b", "c"], ["ab", "c"], entities, key="other")
    assert aligned == [Entity("A", ((0, 1),))]
    assert unaligned == [Entity("B", ((0, 1),)), Entity("A", ((0, 2),))]
    assert align(["a", "b"], ["ab"], []) == ([], [])
