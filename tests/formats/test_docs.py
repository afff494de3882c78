import pytest
import spacy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.formats import (
    DOC_NAME,
    Place,
    Report,
    TextEntity,
    TextRecord,
    to_docs,
)
from spacy_gapdner.formats.records import DOC_RELATIONS, BratLine


def record(text, *entities, label="X"):
    made = [TextEntity(label, f, place=Place("a.ann", i)) for i, f in enumerate(entities, 1)]
    return TextRecord("a", text, tuple(made))


def plain(doc):
    return [(e.label_, e.to_entity().fragments) for e in get_entities(doc)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("One\nTwo", ["One\n", "Two"]),
        ("One\n\n  \n Two", ["One\n\n  \n", "Two"]),
        ("One\n- (two)", ["One\n", "- (two)"]),
        ('He said "one." \n Two', ['He said "one." \n', "Two"]),
        ("\n\nOne\nTwo\n", ["\n\nOne\n", "Two\n"]),
        ("One\u2028Two", ["One\u2028", "Two"]),
    ],
)
def test_sentences(nlp, text, sentences):
    assert [sent.text_with_ws.rstrip(" ") for sent in nlp(text).sents] == sentences


def test_one_sentence_per_doc(nlp, report):
    text = "Bad joint\nand pain. Other pain"
    source = record(text, ((0, 3),), ((14, 18), (20, 25)), ((0, 9), (14, 18)), ((26, 30),))
    docs = list(to_docs([source], nlp, report, n_sents=1))
    assert [doc.text for doc in docs] == ["Bad joint\n", "and pain. ", "Other pain"]
    assert [plain(doc) for doc in docs] == [[("X", ((0, 1),))], [], [("X", ((1, 2),))]]
    assert report.counts("dropped") == {"entity crosses a sentence boundary": 2}
    places = [(issue.place.line, issue.offsets) for issue in report.issues]
    assert places == [(2, ((14, 18), (20, 25))), (3, ((0, 9), (14, 18)))]
    assert (report.documents, report.entities) == (1, 4)
    assert all(len(list(doc.sents)) == 1 and doc.user_data[DOC_NAME] == "a" for doc in docs)


@pytest.mark.parametrize(
    ("n_sents", "entities"),
    [
        (2, [[("X", ((0, 1), (3, 4)))], [("X", ((0, 1),))]]),
        (0, [[("X", ((0, 1), (3, 4))), ("X", ((6, 7),))]]),
    ],
)
def test_several_sentences_per_doc(nlp, report, n_sents, entities):
    source = record("One.\nTwo.\nOdd.", ((0, 3), (5, 8)), ((10, 13),))
    docs = list(to_docs([source, TextRecord("empty", " \n")], nlp, report, n_sents=n_sents))
    assert [sentence.text for doc in docs for sentence in doc.sents] == ["One.\n", "Two.\n", "Odd."]
    assert [plain(doc) for doc in docs] == entities
    assert report.counts("dropped") == {"document without text": 1}


def test_docs_are_not_changed(nlp, report):
    docs = [Doc(nlp.vocab, words=[word]) for word in "abcd"]
    for doc, name in zip(docs, ("A", "A", None, None), strict=True):
        doc.user_data |= {} if name is None else {DOC_NAME: name}
    set_entities(docs[0], [Entity("X", ((0, 1),))])
    assert list(to_docs([*docs, TextRecord("text", "x y"), docs[0]], nlp, report))[:4] == docs
    # the first two are sentences of a document
    assert (report.documents, report.entities) == (5, 2)


@settings(max_examples=25, deadline=None)
@given(data=st.data(), text=st.text(st.sampled_from("ab-.' \n"), min_size=1, max_size=14))
@pytest.mark.parametrize("alignment", ["expand", "contract", "strict"])
def test_alignment_follows_the_characters_of_tokens(nlp, alignment, data, text):
    visible = [i for i, character in enumerate(text) if not character.isspace()]
    assume(visible)
    start, last = sorted((data.draw(st.sampled_from(visible)), data.draw(st.sampled_from(visible))))
    doc, fragment = nlp(text), set(range(start, last + 1))
    report = Report()
    (found,) = to_docs([record(text, ((start, last + 1),))], nlp, report, alignment=alignment)
    spots = {t.i: set(range(t.idx, t.idx + len(t))) for t in doc if not t.is_space}
    touched = [i for i, spot in spots.items() if spot & fragment]
    within = [i for i in touched if spots[i] <= fragment]
    whole = within == touched
    expected = {"expand": touched, "contract": within, "strict": touched if whole else []}
    # without whitespace at the ends
    ends = [(e.start, e.end - 1) for e in get_entities(found)]
    assert ends == [(tokens[0], tokens[-1]) for tokens in [expected[alignment]] if tokens]
    moved = (
        "boundary moved to a token boundary" if expected[alignment] else "boundary within a token"
    )
    assert report.counts() == ({} if whole else {moved: 1})


@settings(max_examples=40, deadline=None)
@given(data=st.data(), text=st.text(st.sampled_from("ab-.' \n"), min_size=1, max_size=14))
def test_split_tokens_move_no_boundary(nlp, data, text):
    visible = [i for i, character in enumerate(text) if not character.isspace()]
    assume(visible)
    draws = st.lists(st.sampled_from(visible), min_size=2, max_size=2)
    pairs = {(min(pair), max(pair) + 1) for pair in data.draw(st.lists(draws, max_size=3))}
    report = Report()
    source = record(text, *((pair,) for pair in sorted(pairs)))
    (found,) = to_docs([source], nlp, report, alignment="split")
    assert found.text == text
    assert {e.char_fragments for e in get_entities(found)} == {(pair,) for pair in pairs}
    assert report.issues == []
    # all other boundaries are those of the tokenizer
    starts = {token.idx for token in nlp(text)}
    others = {token.idx for token in found} - starts
    assert starts <= {token.idx for token in found}
    assert others <= {i for pair in pairs for i in pair}


def test_relations_of_entities_without_an_id(nlp, report):
    # with a repeated id, the second entity has none; one target of the relation is missing
    first, second = TextEntity("X", ((0, 4),), "T1"), TextEntity("X", ((5, 9),))
    line = BratLine("R1\tCauses Arg1 Arg2", Place("a.ann", 3))
    source = TextRecord("a", "pain rash", (first, second), relations=(line,))
    (doc,) = to_docs([source], nlp, report)
    assert DOC_RELATIONS not in doc.user_data
    assert report.counts("dropped") == {"relation": 1}


@pytest.mark.parametrize("fragment", [(2, 5), (-1, 2), (2, 2)])
def test_reader_with_offsets_outside_the_text(nlp, fragment):
    records = [record("pain", (fragment,)), record("rash", ((0, 4),))]
    with pytest.raises(GapDNERError, match=r"a\.ann:1: X has offsets outside the 4 characters"):
        list(to_docs(records, nlp, Report()))
    report = Report(skip=True)
    assert [doc.text for doc in to_docs(records, nlp, report)] == ["rash"]
    assert len(report.skipped) == 1


def test_tokenizer_that_changes_the_text(report):
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split())
    with pytest.raises(GapDNERError, match="The tokenizer changes the text of a"):
        list(to_docs([record("joint  pain")], nlp, report))


@pytest.mark.parametrize(
    ("text", "entities", "found"),
    [
        ("preterm", [((0, 3),), ((0, 7),)], [("X", ((0, 1),))]),
        # only whitespace remains between the fragments
        ("bad \n joint", [((0, 2), (7, 11)), ((0, 11),)], [("X", ((0, 3),))]),
    ],
)
def test_duplicates_after_tokenization(nlp, report, text, entities, found):
    (doc,) = to_docs([record(text, *entities)], nlp, report)
    assert plain(doc) == found
    assert report.counts("dropped") == {"duplicate entity after tokenization": 1}
