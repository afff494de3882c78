from itertools import pairwise

from analyzed import BODY, FEVER, JOINT, NLP, SHOULDER, SIDES, TEXT, make_example
from hypothesis import given
from hypothesis import strategies as st
from spacy.training import Example
from tiny_pipeline import make_doc

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.model_report import report_model
from spacy_gapdner.formats import DOC_NAME


def find(*examples):
    """The passages with errors, and the errors."""
    report = report_model(examples)
    return report.passages, report.errors


def marked(passage, error, side):
    """The words of an entity of an error."""
    return [passage.words[i].rstrip() for i in dict(error.own)[side].token_indices]


def test_error_is_shown_in_its_sentence():
    [passage], [error] = find(
        make_example([], []), make_example([JOINT, BODY, FEVER], [JOINT, FEVER])
    )
    assert (error.kind, error.doc, error.name, error.document) == ("missed", 2, None, "Doc 2")
    assert error.sentence == "severe joint , shoulder and upper body pain ."
    assert "".join(passage.words) == "severe joint , shoulder and upper body pain . "
    assert (error.gold.label, error.gold.surface) == ("ADE", "severe … upper body pain")
    assert error.gold.fragments == ((0, 6), (28, 43))
    assert marked(passage, error, "gold") == ["severe", "upper", "body", "pain"]
    assert error.predicted is None
    [passage], [error] = find(make_example([FEVER], []))
    assert (error.sentence, passage.words) == ("Then fever", ("Then ", "fever "))
    assert error.gold.fragments == ((51, 56),)
    # two sentences
    _, [error] = find(make_example([], [("ADE", [7, 10])]))
    assert error.sentence == TEXT


def test_errors_of_a_sentence_are_one_passage():
    predicted = [JOINT, ("ADE", [5, 6, 7])]
    [passage, fever], errors = find(make_example([JOINT, SHOULDER, BODY, FEVER], predicted))
    assert [error.kind for error in passage.errors] == ["missed", "wrong linking"]
    assert errors == [*passage.errors, *fever.errors]
    # the correct entity overlaps the others
    others = [(role, entity.token_indices) for role, entity in passage.others]
    assert others == [("correct", (0, 1, 7))]


def test_groups():
    gold = [JOINT, SHOULDER, FEVER]
    _, errors = find(make_example(gold, [JOINT, ("ADE", [3])]))
    linking, fever = (error.groups for error in errors)
    disc = {("subset", name) for name in ("all", "disc", "disc_sents", "overlap_sents")}
    own = {("fragments", 3), ("length", 3), ("gap_length", 5)}
    assert linking == {("type", "ADE"), *disc, *own, ("fragments", 1), ("length", 1)}
    assert fever == {("type", "ADE"), ("subset", "all"), ("fragments", 1), ("length", 1)}


def test_long_sentences_are_truncated():
    words = [f"w{i}" for i in range(300)]
    near, far = ("A", [60, 62]), ("A", [200])
    passages, errors = find(make_example([("A", [50, 52]), near, far], [], " ".join(words), None))
    [first, last] = passages
    assert "".join(first.words).split() == ["…", *words[25:88], "…"]
    assert "".join(last.words).split() == ["…", *words[175:226], "…"]
    assert [len(passage.errors) for passage in passages] == [2, 1]
    assert marked(first, first.errors[1], "gold") == ["w60", "w62"]
    assert marked(last, last.errors[0], "gold") == ["w200"]
    assert {error.sentence for error in errors} == {" ".join(words)}


@given(st.sets(st.integers(0, 999), max_size=30))
def test_passages_are_short(starts):
    words = " ".join(f"w{i}" for i in range(1000))
    gold = [("A", [i]) for i in sorted(starts)]
    passages, _ = find(make_example(gold, [], words, None))
    assert all(len(passage.words) <= 122 for passage in passages)
    assert [marked(p, e, "gold") for p in passages for e in p.errors] == [
        [f"w{i}"] for i in sorted(starts)
    ]
    # two passages are not joined because they would be too long
    for one, two in pairwise(passages):
        first, last = one.errors[0], two.errors[0]
        assert int(last.gold.surface[1:]) - int(first.gold.surface[1:]) > 120 - 51


@given(SIDES)
def test_words_of_entities(sides):
    for passage in report_model(make_example(g + b, p + b) for g, p, b in sides).passages:
        for error in passage.errors:
            for side, _ in error.own:
                text = getattr(error, side).surface
                assert marked(passage, error, side) == text.replace("… ", "").split()


def test_other_tokens_and_whitespace():
    reference = NLP("Sore \nleft-arm ")
    set_entities(reference, [Entity("A", ((0, 1),))])
    reference.user_data[DOC_NAME] = "note.txt"
    predicted = make_doc(NLP, "Sore left-arm", [("A", [0, 1]), ("B", [1])])
    [passage], [boundary, spurious] = find(Example(predicted, reference))
    assert (boundary.kind, spurious.kind) == ("wrong boundary", "spurious")
    assert (boundary.name, boundary.sentence) == ("note.txt", "Sore left-arm")
    # the spacing of the text, with line breaks as spaces
    assert passage.words == ("Sore ", " ", "left", "-", "arm ")
    assert marked(passage, boundary, "predicted") == ["Sore", "", "left", "-", "arm"]
    assert boundary.predicted.surface == "Sore left-arm"
    assert marked(passage, spurious, "predicted") == ["left", "-", "arm"]
    [(start, end)] = spurious.predicted.fragments
    assert reference.text[start:end] == "left-arm"
