import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.training.augmentation import CoordinationAugmenter, make_oversampling_augmenter

NLP = spacy.blank("en")


def example(text, *entities, key="gapdner"):
    doc = Doc(NLP.vocab, words=text.split())
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, *tokens in entities], key)
    return Example(Doc(NLP.vocab, words=text.split()), doc)


def texts(doc, key="gapdner"):
    return sorted((e.label_, e.text) for e in get_entities(doc, key))


def augment(augmenter, *examples):
    """The synthetic documents of the last example."""
    for one in examples:
        first, *others = augmenter(NLP, one)
        assert first is one
    return [other.reference for other in others]


def augment_all(*examples, **settings):
    """The synthetic documents of many seeds, so that every choice is seen."""
    for seed in range(25):
        yield from augment(CoordinationAugmenter(1.0, seed=seed, **settings), *examples)


B_CELLS = example("we saw B cells today", ("CL", 2, 3))
T_CELLS = example("T cells grew", ("CL", 0, 1))


def test_shared_words_come_last_or_first():
    seen = list(augment_all(B_CELLS, T_CELLS, insertion_share=0.0))
    for doc in seen:
        assert texts(doc) == [("CL", "B cells"), ("CL", "T cells")]
        assert sum(e.is_discontinuous for e in get_entities(doc)) == 1
    assert {doc.text for doc in seen} == {
        *("B and T cells grew ", "T and B cells grew ", "B or T cells grew "),
        *("T or B cells grew ", "B/T cells grew ", "T/B cells grew "),
    }
    first = example("a history of stroke .", ("C", 1, 2, 3))
    second = example("has history of atrial flutter .", ("C", 1, 2, 3, 4))
    seen = list(augment_all(first, second, insertion_share=0.0))
    for doc in seen:
        assert texts(doc) == [("C", "history of atrial flutter"), ("C", "history of stroke")]
        assert doc.text.startswith("has history of ")
    assert "has history of stroke and atrial flutter . " in {doc.text for doc in seen}


def test_omission_in_german_compounds():
    nlp = spacy.blank("de")

    def german(text, *entity):
        doc = nlp(text)
        set_entities(doc, [Entity("S", (entity,))])
        return Example(nlp.make_doc(text), doc)

    # "schmerzen" is a known word, but the ending "keit" is not
    knee, hip = german("starke Knieschmerzen", 0, 2), german("Er hat starke Hüftschmerzen .", 2, 4)
    tired, sick = german("große Müdigkeit", 0, 2), german("große Übelkeit heute", 0, 2)
    seen: dict[str, list[str]] = {}
    for seed in range(60):
        augmenter = CoordinationAugmenter(1.0, 0.0, seed=seed)
        list(augmenter(nlp, german("Die Schmerzen blieben", 1, 2)))
        for one in (knee, hip, tired, sick):
            for made in list(augmenter(nlp, one))[1:]:
                found = sorted(entity.text for entity in get_entities(made.reference))
                seen[made.reference.text.strip()] = found
    both = ["starke Hüftschmerzen", "starke Knieschmerzen"]
    assert {text: found for text, found in seen.items() if "Hüft" in text and "oder" in text} == {
        "Er hat starke Knieschmerzen oder Hüftschmerzen .": both,
        "Er hat starke Hüftschmerzen oder Knieschmerzen .": both,
        "Er hat starke Knie- oder Hüftschmerzen .": ["starke Hüftschmerzen", "starke Knie-"],
        "Er hat starke Hüft- oder Knieschmerzen .": ["starke Hüft-", "starke Knieschmerzen"],
    }
    assert "große Müdigkeit und Übelkeit heute" in seen
    assert not any("Müdig-" in text or "Übel-" in text for text in seen)


def test_nothing_is_omitted_in_english():
    first = example("backpain and severe backpain .", ("S", 2, 3))
    second = example("pain or severe neckpain .", ("S", 2, 3))
    seen = {doc.text for doc in augment_all(first, second, insertion_share=0.0)}
    assert "pain or severe neckpain and backpain . " in seen
    assert not any("-" in text for text in seen)


def test_three_parts():
    examples = [example(f"{word} pain", ("S", 0, 1)) for word in ("Neck", "Back", "Knee")]
    seen = list(augment_all(*examples, insertion_share=0.0))
    three = [doc for doc in seen if len(get_entities(doc)) == 3]
    assert 0 < len(three) < len(seen)
    for doc in three:
        words = [token.text for token in doc]
        assert (words[1], words[3], words[-1]) == (",", ",", "pain")
        assert doc.text.startswith(f"{words[0]}, {words[2]}, ")
        found = [text.lower() for _, text in texts(doc)]
        assert sorted(found) == ["back pain", "knee pain", "neck pain"]
        # only the first word of a sentence is capitalized
        assert [word.istitle() for word in (words[0], words[2])] == [True, False]


RETINA = example("development of the neural retina", ("P", 0, 1, 4))
BONE = example("formation of bone is slow", ("P", 0, 1, 2))


def test_insertion_of_gaps_from_the_corpus():
    assert augment(CoordinationAugmenter(1.0), BONE) == []
    made = list(augment_all(RETINA, BONE, insertion_share=1.0))
    assert made
    for doc in made:
        assert doc.text == "formation of the neural bone is slow "
        assert texts(doc) == texts(BONE.reference)
        assert get_entities(doc)[0].is_discontinuous


@pytest.mark.parametrize(("gap", "is_inserted"), [("a b c", True), ("a b c d", False)])
def test_longest_gap_that_is_inserted(gap, is_inserted):
    n_words = len(gap.split())
    source = example(f"formation {gap} retina", ("P", 0, n_words + 1))
    found = {doc.text for doc in augment_all(source, BONE, insertion_share=1.0)}
    assert (f"formation {gap} of bone is slow " in found) == is_inserted


@pytest.mark.parametrize(
    ("words", "entity", "other", "place"),
    [
        ("development of neural retina", ("P", 0, 1, 3), ("P", 2, 3), BONE),
        ("natural killer cells", ("CL", 0, 1, 2), ("X", 1), B_CELLS),
    ],
)
def test_words_of_other_entities_are_not_inserted(words, entity, other, place):
    assert list(augment_all(example(words, entity), place))
    assert list(augment_all(example(words, entity, other), place)) == []


def test_everything_else_is_kept():
    doc = Doc(
        NLP.vocab,
        words=["Fever", ".", "T", "cells", "(", "left", "arm", "or", "leg", ")"],
        spaces=[False, True, True, True, False, True, True, True, False, False],
        sent_starts=[True, False, True, *[False] * 7],
    )
    others = [("S", "Fever"), ("S", "left arm"), ("S", "left leg")]
    own = [("S", [0]), ("CL", [2, 3]), ("S", [5, 6]), ("S", [5, 8])]
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in own])
    synthetic = list(augment_all(B_CELLS, Example(doc.copy(), doc), insertion_share=0.0))
    assert synthetic
    for made in synthetic:
        assert texts(made) == [("CL", "B cells"), ("CL", "T cells"), *others]
        assert made.text.startswith("Fever. ")
        assert made.text.endswith(" cells (left arm or leg)")
        assert [token.i for token in made if token.is_sent_start] == [0, 2]


@pytest.mark.parametrize(
    "sentence",
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
        # a separate coordination
        example("T , cells", ("CL", 0, 1, 2)),
        example("T and B cells", ("CL", 0, 1, 2, 3)),
        example("T and/or NK cells", ("CL", 0, 1, 2, 3)),
    ],
)
def test_no_suitable_place(sentence):
    assert augment(CoordinationAugmenter(1.0), B_CELLS, sentence) == []


def test_documents_with_other_spans_are_not_copied():
    here = example("T cells grew", ("CL", 0, 1))
    here.reference.spans["sc"] = []
    assert len(augment(CoordinationAugmenter(1.0), B_CELLS, here)) == 1
    here.reference.spans["sc"] = [here.reference[2:]]
    assert augment(CoordinationAugmenter(1.0), B_CELLS, here) == []


def test_share_seed_and_oversampling():
    examples = [example(f"w{i} cells grew", ("CL", 0, 1)) for i in range(100)]
    docs = [one.reference for one in examples]

    def made(**settings):
        augmenter = CoordinationAugmenter(**settings)
        return [copy.text for doc in docs if (copy := augmenter.synthesize(doc))]

    assert [len(made(share=share)) for share in (0.0, 1.0)] == [0, 99]
    assert 15 < len(made(share=0.3)) < 45
    assert made(share=0.3, seed=1) == made(share=0.3, seed=1) != made(share=0.3, seed=2)
    for text in made(conjunctions=["plus"]):
        assert " plus " in text or "/" in text or ", " in text
    oversample = make_oversampling_augmenter(times=2)
    discontinuous = example("T and B cells", ("CL", 0, 3))
    assert [len(list(oversample(NLP, one))) for one in (discontinuous, T_CELLS)] == [3, 1]


def test_invalid_settings():
    with pytest.raises(ValueError, match="Invalid insertion_share: -1"):
        CoordinationAugmenter(insertion_share=-1)
    with pytest.raises(ValueError, match="Use a list of words"):
        CoordinationAugmenter(conjunctions="and")


words = st.sampled_from(["T", "B", "cells", "cell", "of", "and", "pain"])


@given(
    sentences=st.lists(st.lists(words, min_size=2, max_size=8), min_size=4, max_size=8),
    seed=st.integers(0, 5),
    data=st.data(),
)
def test_augmented_documents_of_any_corpus_are_complete(sentences, seed, data):
    augmenter = CoordinationAugmenter(1.0, 0.5, seed=seed)
    for sentence in sentences:
        # few entities: one that overlaps others is never rewritten
        start = data.draw(st.integers(0, len(sentence) - 2))
        more = data.draw(st.sets(st.integers(0, len(sentence) - 1), max_size=3))
        entities = [("A", *tokens) for tokens in ((start, start + 1), more) if tokens]
        one = example(" ".join(sentence), *entities)
        before = texts(one.reference)
        for made in list(augmenter(NLP, one))[1:]:
            after = texts(made.reference)
            # all entities keep their words, including the one that was rewritten
            assert set(before) <= set(after)
            assert any(e.is_discontinuous for e in get_entities(made.reference))
            assert len(made.reference) > len(sentence)
        assert texts(one.reference) == before
