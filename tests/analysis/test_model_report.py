import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.training import Example
from tiny_pipeline import make_doc

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.analysis.model_report import NOTHING, f1_table, report_model
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.pipe.scorer import Counts, Tally

NLP = spacy.blank("en")
TEXT = "severe joint , shoulder and upper body pain . Then fever"
JOINT, SHOULDER, BODY = ("ADE", [0, 1, 7]), ("ADE", [0, 3, 7]), ("ADE", [0, 5, 6, 7])
FEVER = ("ADE", [10])


def make_example(gold, predicted, text=TEXT, sent_starts=(0, 9)):
    starts = [i in sent_starts for i in range(len(text.split()))] if sent_starts else None
    return Example(make_doc(NLP, text, predicted), make_doc(NLP, text, gold, sent_starts=starts))


def marked(error, side):
    """The words of an entity of an error."""
    return [error.words[i].rstrip() for i in dict(error.own)[side].token_indices]


def test_large_numbers_are_combined():
    tally = Tally()
    tally.groups["length"].update({n: Counts(1, n, n) for n in (12, 1, 11, 3)})
    first = [("1", 1, Counts(1, 1, 1), Counts()), ("3", 3, Counts(1, 3, 3), Counts())]
    rows = f1_table([tally, Tally()], "length")
    assert rows == [*first, ("11+", 23, Counts(2, 23, 23), Counts())]


def test_error_is_shown_in_its_sentence():
    examples = [make_example([], []), make_example([JOINT, BODY, FEVER], [JOINT, FEVER])]
    [error] = report_model(examples).errors
    assert (error.kind, error.doc, error.name) == ("missed", 2, None)
    assert error.sentence == "severe joint , shoulder and upper body pain ."
    assert "".join(error.words) == "severe joint , shoulder and upper body pain . "
    assert (error.gold.label, error.gold.surface) == ("ADE", "severe … upper body pain")
    assert error.gold.fragments == ((0, 6), (28, 43))
    assert marked(error, "gold") == ["severe", "upper", "body", "pain"]
    assert error.predicted is None
    [error] = report_model([make_example([FEVER], [])]).errors
    assert (error.sentence, error.words) == ("Then fever", ("Then ", "fever "))
    assert error.gold.fragments == ((51, 56),)
    # two sentences
    [error] = report_model([make_example([], [("ADE", [7, 10])])]).errors
    assert error.sentence == TEXT


def test_overlapping_entities_have_roles():
    example = make_example([JOINT, SHOULDER, BODY], [JOINT, ("ADE", [5, 6, 7])])
    shoulder, linking = report_model([example]).errors
    assert (linking.kind, shoulder.kind) == ("wrong linking", "missed")
    others = [(role, entity.token_indices) for role, entity in shoulder.others]
    assert others == [("gold", (0, 5, 6, 7)), ("correct", (0, 1, 7)), ("predicted", (5, 6, 7))]


def test_long_sentences_are_truncated():
    words = [f"w{i}" for i in range(100)]
    example = make_example([("A", [50, 52])], [], text=" ".join(words), sent_starts=None)
    [error] = report_model([example]).errors
    assert "".join(error.words).split() == ["…", *words[25:78], "…"]
    assert marked(error, "gold") == ["w50", "w52"]
    assert error.sentence == " ".join(words)


def test_other_tokens_and_whitespace():
    reference = NLP("Sore \nleft-arm ")
    set_entities(reference, [Entity("A", ((0, 1),))])
    reference.user_data[DOC_NAME] = "note.txt"
    predicted = make_doc(NLP, "Sore left-arm", [("A", [0, 1]), ("B", [1])])
    boundary, spurious = report_model([Example(predicted, reference)]).errors
    assert (boundary.kind, spurious.kind) == ("wrong boundary", "spurious")
    assert (boundary.name, boundary.sentence) == ("note.txt", "Sore left-arm")
    # the spacing of the text, with line breaks as spaces
    assert boundary.words == ("Sore ", " ", "left", "-", "arm ")
    assert marked(boundary, "predicted") == ["Sore", "", "left", "-", "arm"]
    assert boundary.predicted.surface == "Sore left-arm"
    assert marked(spurious, "predicted") == ["left", "-", "arm"]
    [(start, end)] = spurious.predicted.fragments
    assert reference.text[start:end] == "left-arm"


TOKENS = st.sets(st.integers(0, 10), min_size=1, max_size=4)
ENTITIES = st.lists(st.tuples(st.sampled_from("AB"), TOKENS), max_size=5)


@given(st.lists(st.tuples(ENTITIES, ENTITIES, ENTITIES), min_size=1, max_size=3))
def test_counts_add_up(sides):
    report = report_model([make_example(g + both, p + both) for g, p, both in sides])
    groups, counts = report.scores.groups, report.count_errors()
    total = groups["subset"]["all"]
    assert sum(count["errors"] for count in counts.values()) == len(report.errors)
    assert total.correct + sum(e.gold is not None for e in report.errors) == total.gold
    assert total.correct + sum(e.predicted is not None for e in report.errors) == total.predicted
    # every entity is in one group by type, by number of fragments, and by length
    for group in ("type", "fragments", "length"):
        assert sum(groups[group].values(), start=Counts()) == total
    for error in report.errors:
        for side, _ in error.own:
            text = getattr(error, side).surface
            assert marked(error, side) == text.replace("… ", "").split()


def test_confusion_and_common_texts():
    example = make_example([JOINT, SHOULDER, FEVER], [JOINT, ("SIGN", [3, 7])])
    fever = Entity("SIGN", ((10, 11),), 0.75)
    found = [entity.to_entity() for entity in get_entities(example.predicted)]
    set_entities(example.predicted, [*found, fever])
    report = report_model([example] * 2)
    assert [error.score for error in report.errors if error.kind == "wrong type"] == [0.75] * 2
    pairs = [("ADE", "ADE"), ("ADE", NOTHING), ("ADE", "SIGN"), (NOTHING, "SIGN")]
    assert report.confusion() == dict.fromkeys(pairs, 2)
    assert report.common_texts("missed", 5) == [("severe … shoulder … pain", "ADE", 2)]
    assert report.common_texts("spurious", 5) == [("shoulder … pain", "SIGN", 2)]
