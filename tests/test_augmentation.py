import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gapdner import Entity, augmentation, get_entities, set_entities
from spacy_gapdner.augmentation import CoordinationAugmenter, make_oversampling_augmenter

NLP = spacy.blank("en")


def example(text, *entities, key="gapdner"):
    doc = Doc(NLP.vocab, words=text.split())
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, *tokens in entities], key)
    return Example(Doc(NLP.vocab, words=text.split()), doc)


def texts(doc, key="gapdner"):
    return sorted((e.label_, e.text) for e in get_entities(doc, key))


def augment(augmenter, *examples):
    """The synthetic documents."""
    made = []
    for one in examples:
        first, *others = augmenter(NLP, one)
        assert first is one
        made += [other.reference for other in others]
    return made


def augmenters(**kwargs):
    """With many seeds, so that every choice is seen."""
    return (CoordinationAugmenter(1.0, seed=seed, **kwargs) for seed in range(25))


B_CELLS = example("we saw B cells today", ("CL", 2, 3))
T_CELLS = example("T cells grew", ("CL", 0, 1))


def test_shared_last_word():
    seen = set()
    for augmenter in augmenters(insertion_share=0.0):
        (doc,) = augment(augmenter, B_CELLS, T_CELLS)
        assert texts(doc) == [("CL", "B cells"), ("CL", "T cells")]
        assert sum(e.is_discontinuous for e in get_entities(doc)) == 1
        seen.add(doc.text)
    assert seen == {
        *("B and T cells grew ", "T and B cells grew ", "B or T cells grew "),
        *("T or B cells grew ", "B/T cells grew ", "T/B cells grew "),
    }


def test_shared_first_words():
    first = example("a history of stroke .", ("C", 1, 2, 3))
    second = example("has history of atrial flutter .", ("C", 1, 2, 3, 4))
    seen = set()
    for augmenter in augmenters(insertion_share=0.0):
        (doc,) = augment(augmenter, first, second)
        assert texts(doc) == [("C", "history of atrial flutter"), ("C", "history of stroke")]
        seen.add(doc.text)
    assert "has history of stroke and atrial flutter . " in seen
    # never "history and history of", and nothing is shared but what both have
    assert all(text.startswith("has history of ") for text in seen)


def test_three_parts():
    examples = [example(f"{word} pain", ("S", 0, 1)) for word in ("Neck", "Back", "Knee")]
    seen = [augment(a, *examples)[-1] for a in augmenters(insertion_share=0.0)]
    three = [doc for doc in seen if len(get_entities(doc)) == 3]
    assert 0 < len(three) < len(seen)
    for doc in three:
        words = [token.text for token in doc]
        assert (words[1], words[3], words[-1]) == (",", ",", "pain")
        assert doc.text.startswith(f"{words[0]}, {words[2]}, ")
        found = [text.lower() for _, text in texts(doc)]
        assert sorted(found) == ["back pain", "knee pain", "neck pain"]
        # a sentence begins with a capital, and no other word does
        assert [word.istitle() for word in (words[0], words[2])] == [True, False]


@pytest.mark.parametrize(
    ("torn", "whole", "text"),
    [
        (
            example("development of the neural retina", ("P", 0, 1, 4)),
            example("formation of bone is slow", ("P", 0, 1, 2)),
            "formation of the neural bone is slow ",
        ),
        (
            example("Embryonic stem ( ES ) cells", ("P", 0, 1, 5)),
            example("mouse embryonic fibroblasts", ("P", 0, 1, 2)),
            "mouse embryonic (ME) fibroblasts ",
        ),
    ],
)
def test_insertion_of_what_gaps_of_the_corpus_hold(torn, whole, text):
    assert augment(CoordinationAugmenter(1.0), whole) == []
    for augmenter in augmenters(insertion_share=1.0):
        (doc,) = augment(augmenter, torn, whole)
        assert doc.text == text
        assert texts(doc) == texts(whole.reference)
        assert get_entities(doc)[0].is_discontinuous


def test_other_entities_stay_and_move():
    here = example(
        "no fever but T cells and pain in left arm or leg",
        *(("S", 1), ("CL", 3, 4), ("S", 6, 7, 8, 9), ("S", 6, 7, 8, 11)),
    )
    for augmenter in augmenters(insertion_share=0.0):
        (doc,) = augment(augmenter, B_CELLS, here)
        assert texts(doc) == [
            *(("CL", "B cells"), ("CL", "T cells"), ("S", "fever")),
            *(("S", "pain in left arm"), ("S", "pain in left leg")),
        ]


@pytest.mark.parametrize(
    "here",
    [
        # overlaps with another entity
        example("T cells divide", ("CL", 0, 1), ("P", 1, 2)),
        # of another type
        example("T cells grew", ("X", 0, 1)),
        # one word; another head
        example("cells grew", ("CL", 0)),
        example("T lymphocytes grew", ("CL", 0, 1)),
        # the same words
        example("the B cells", ("CL", 1, 2)),
        # a coordination of its own
        example("T , cells", ("CL", 0, 1, 2)),
        example("T and B cells", ("CL", 0, 1, 2, 3)),
    ],
)
def test_no_place(here):
    assert augment(CoordinationAugmenter(1.0), B_CELLS, here) == []


def test_sentence_starts_and_spaces_are_kept():
    doc = Doc(
        NLP.vocab,
        words=["Yes", ".", "T", "cells", "(", "x", ")"],
        spaces=[False, True, True, True, False, False, False],
        sent_starts=[True, False, True, False, False, False, False],
    )
    set_entities(doc, [Entity("CL", ((2, 4),))])
    (made,) = augment(CoordinationAugmenter(1.0, 0.0), B_CELLS, Example(doc.copy(), doc))
    assert made.text.startswith("Yes. ")
    assert made.text.endswith(" cells (x)")
    assert [token.i for token in made if token.is_sent_start] == [0, 2]


def test_share_and_seed():
    examples = [example(f"w{i} cells grew", ("CL", 0, 1)) for i in range(100)]
    n_made = [len(augment(CoordinationAugmenter(s), *examples)) for s in (0.0, 0.3, 1.0)]
    assert n_made[0] == 0
    assert 15 < n_made[1] < 45
    assert n_made[2] == 99
    first, again, other = (
        [doc.text for doc in augment(CoordinationAugmenter(0.3, seed=seed), *examples)]
        for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"insertion_share": -1}, "Invalid insertion_share: -1"),
        ({"conjunctions": "and"}, "Use a list of words"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        CoordinationAugmenter(**settings)


words = st.sampled_from(["T", "B", "cells", "cell", "of", "and", ",", "pain"])


@given(
    sentences=st.lists(st.lists(words, min_size=1, max_size=8), min_size=1, max_size=8),
    seed=st.integers(0, 5),
    data=st.data(),
)
@settings(deadline=None, max_examples=50)
def test_any_corpus_gives_whole_documents(sentences, seed, data):
    augmenter = CoordinationAugmenter(1.0, 0.5, seed=seed)
    for sentence in sentences:
        indices = st.lists(st.integers(0, len(sentence) - 1), min_size=1, max_size=4)
        drawn = data.draw(st.lists(indices, max_size=3))
        one = example(" ".join(sentence), *(("A", *tokens) for tokens in drawn))
        before = texts(one.reference)
        for made in list(augmenter(NLP, one))[1:]:
            after = texts(made.reference)
            # every entity is still there with its words, as the one that was rewritten is
            missing = [e for e in set(before) if e not in after]
            assert not missing or all(text[0].isupper() for _, text in missing)
            assert any(e.is_discontinuous for e in get_entities(made.reference))
            assert len(made.reference) > len(sentence)
        assert texts(one.reference) == before


def test_oversampling():
    torn, whole = example("T and B cells", ("CL", 0, 3)), T_CELLS
    oversample = make_oversampling_augmenter(times=2)
    assert len(list(oversample(NLP, torn))) == 3
    assert len(list(oversample(NLP, whole))) == 1
    assert len(list(make_oversampling_augmenter(0)(NLP, torn))) == 1


def test_a_corpus_is_augmented_as_it_is_read():
    examples = [B_CELLS, example("nothing"), T_CELLS, B_CELLS]
    docs = (one.reference for one in examples)
    made = augmentation.augment(docs, share=1, insertion_share=0, conjunctions=["plus"], seed=3)
    first = next(made)
    assert next(docs) is B_CELLS.reference
    assert " plus " in first.text
    assert texts(first) == [("CL", "B cells"), ("CL", "T cells")]
    assert list(made) == []
