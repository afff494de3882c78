import pytest
from analyzed import make_example

from spacy_gapdner.analysis.causes import describe_documents, describe_near, find_causes, summarize
from spacy_gapdner.analysis.known_texts import KnownTexts
from spacy_gapdner.analysis.model_report import report_model
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.pipe.scorer import Counts

PAIN = "severe joint and back pain after aspirin"
JOINT, BACK, DRUG = ("ADE", [0, 1, 4]), ("ADE", [3, 4]), ("DRUG", [6])


def analyze(*sides, train=None, near=None, counts=Counts(1, 2), labels=None):
    """The report on gold entities and predictions of the same sentence."""
    examples = [make_example(gold, predicted, PAIN, (0,)) for gold, predicted in sides]
    for number, example in enumerate(examples):
        example.reference.user_data[DOC_NAME] = f"note {number}"
    known = train and KnownTexts(make_example(gold, [], PAIN).reference for gold in train)
    report = report_model(examples, known=known)
    for error in report.errors:
        error.threshold = near and 0.5
        error.candidate = near
    report.near, report.labels = near and counts, labels
    return report


def texts(report, n=3):
    return [f"{cause.fact} {cause.advice}" for cause in find_causes(report, n)]


def test_causes_are_in_the_order_of_their_effect_on_f1():
    report = analyze(*[([JOINT, BACK, DRUG], [JOINT, BACK])] * 3, ([BACK], [("ADE", [0])]))
    assert summarize(report) == (
        "F1 is 70.6 (precision 85.7, recall 60.0). Found: 6 of 10 gold entities. Wrong: 1 of 7 "
        "predictions."
    )
    # 12 of 17 becomes 18 of 20, then 14 of 18, then 12 of 16
    assert texts(report) == [
        "DRUG is never found: 0 of 3 gold entities, 3 missed. Without these errors, F1 would be "
        "90.0. Add --train to see whether the training data contains their texts.",
        "ADE is missed: 1 of 7 gold entities. Without these errors, F1 would be 77.8. Add --train "
        "to see whether the training data contains their texts.",
        "ADE is spurious: 1 of 7 predictions, 0 with a text that is ADE elsewhere. Without these "
        "errors, F1 would be 75.0. Check in their sentences what annotators do not count as this "
        "type.",
    ]
    assert [cause.title for cause in find_causes(report, 2)] == [
        "rarely found: DRUG",
        "missed: ADE",
    ]
    assert texts(report, 1) == texts(report)[:1]
    # no errors
    report = analyze(([BACK], [BACK]))
    assert (texts(report), describe_near(report)) == ([], "")


FOUND = ([JOINT, BACK], [JOINT, BACK])
ALL = "Without these errors, F1 would be 100.0."


@pytest.mark.parametrize(
    ("sides", "train", "near", "expected"),
    [
        (
            [([DRUG], [DRUG]), *[([DRUG], [("ADE", [6])])] * 20],
            None,
            None,
            "DRUG is almost never found: 1 of 21 gold entities, 0 missed, 20 predicted as ADE. "
            f"{ALL} Add --train",
        ),
        (
            [([BACK, DRUG], [BACK])],
            [[BACK]],
            None,
            "0 of 1 gold entities, 1 missed, 1 with a text that the training data never annotates. "
            f"{ALL} Annotate more texts with DRUG: the training data has 0.",
        ),
        (
            [FOUND, ([BACK], [])],
            [[JOINT]],
            None,
            f"never annotates. {ALL} Annotate more texts with ADE: the training data has 1.",
        ),
        ([FOUND, ([BACK], [])], [[BACK]], None, "Check whether they are annotated consistently."),
        (
            [FOUND, ([BACK], [])],
            None,
            0.41,
            "ADE is missed: 1 of 3 gold entities, 1 with a score less than 0.1 below the "
            f"threshold. {ALL} Try lower thresholds: tune with --min-recall.",
        ),
        ([FOUND, ([BACK], [])], None, 0.39, "ADE is missed: 1 of 3 gold entities, 0 with a score"),
        (
            [FOUND, ([], [BACK])],
            None,
            None,
            "ADE is spurious: 1 of 3 predictions, 1 with a text that is ADE elsewhere. "
            f"{ALL} Check whether annotators missed some of them.",
        ),
        (
            [([DRUG, BACK], [DRUG, BACK]), ([BACK], [("DRUG", [3, 4])])],
            [[BACK, ("DRUG", [3, 4])]],
            None,
            "ADE is predicted as DRUG: 1 of 2 gold entities, 1 with a text that the training data "
            f"annotates with both types. {ALL} Check whether the guidelines separate these types.",
        ),
        (
            [([DRUG, BACK], [DRUG, BACK]), ([BACK], [("DRUG", [4])])],
            None,
            None,
            f"ADE is predicted as DRUG with another boundary: 1 of 2 gold entities. {ALL} Check",
        ),
        (
            [FOUND, ([BACK], [("ADE", [2, 3, 4])]), ([BACK], [("ADE", [4])])],
            None,
            None,
            f"ADE has a wrong boundary: 2 of 4 gold entities. {ALL} Check whether the guidelines",
        ),
        # with and without a gold entity
        (
            [FOUND, ([JOINT], [("ADE", [0, 1])]), ([JOINT, BACK], [JOINT, BACK, ("ADE", [0, 1])])],
            None,
            None,
            f"Fragments of ADE are linked incorrectly: 2 errors. {ALL} Annotate more",
        ),
    ],
)
def test_facts_and_advice(sides, train, near, expected):
    [text] = texts(analyze(*sides, train=train, near=near))
    assert expected in text


def test_types_of_the_pipeline():
    report = analyze(([BACK, DRUG], [BACK]), train=[[DRUG]], near=0.45, labels=["ADE"])
    [text] = texts(report)
    assert text.endswith(
        "The pipeline has no type DRUG. Train it on data with this type, or leave it out with "
        "--types."
    )


def test_documents_and_thresholds():
    sides = ([BACK], [BACK]), ([JOINT, DRUG], []), ([DRUG], [])
    report = analyze(*sides, near=0.45)
    assert describe_documents(report) == "note 1 has 2 of 3 errors."
    # 2 of 5 becomes 4 of 7
    assert describe_near(report) == (
        "Missed entities with a score less than 0.1 below their threshold: 3 of 3. Accepting all "
        "2 candidates in this range increases F1: it would be 57.1."
    )
    # 2 of 5 becomes 4 of 13
    report = analyze(*sides, near=0.45, counts=Counts(1, 8))
    assert describe_near(report).endswith(
        "Accepting all 8 candidates in this range does not increase F1: it would be 30.8."
    )
    assert not any("Try lower thresholds" in text for text in texts(report))
