"""What offsets count, and surface texts."""

import json

import pytest

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import NOWHERE, SURFACE, Report, TextEntity, convert, read
from spacy_gapdner.formats.cleaning import convert_offsets, count_in, count_misplaced, surface_fits


@pytest.mark.parametrize(
    ("surface", "fits"),
    [
        ("Mild neck ache", True),
        *((f"Mild neck{gap}ache", True) for gap in (" [...] ", " ... ", "...", " … ", "[…]", "  ")),
        ("Mild ... neck ache", False),
        ("Mild neck ... ... ache", False),
        ("Mild neckache", False),
        ("Mild neck . ache", False),
        ("", True),
    ],
)
def test_gaps_in_surface_texts(surface, fits):
    text = "Mild neck or back ache"
    assert surface_fits(text, TextEntity("A", ((0, 9), (18, 22)), surface=surface)) == fits
    # without a gap, the characters must be in the text
    assert not surface_fits(text, TextEntity("A", ((0, 9),), surface="Mild ... neck"))


@pytest.mark.parametrize(
    ("units", "start", "end"),
    [("characters", 8, 12), ("utf-16", 9, 13), ("bytes", 12, 16), ("graphemes", 6, 10)],
)
def test_units_are_detected_by_surface_texts(report, units, start, end):
    # an emoji, a combining mark and CRLF
    text = "😀 e\u0301\r\no pain"
    entity = TextEntity("A", ((start, end),), surface="pain")
    (found,) = convert_offsets(text, [entity], report, NOWHERE)
    assert found.fragments == ((8, 12),)
    expected = [] if units == "characters" else [units.upper() if units[0] == "u" else units]
    assert [issue.kind.removeprefix("offsets in ") for issue in report.issues] == expected
    # two entities without a surface text do not change the choice
    others = [entity, TextEntity("A", ((0, 1),)), TextEntity("A", ((0, 1),), surface=" ")]
    assert convert_offsets(text, others, report, NOWHERE)[0].fragments == ((8, 12),)


def test_characters_are_used_if_no_units_are_better(report):
    # one entity matches in characters, another one in UTF-16
    text = "😀 pain rash"
    entities = [
        TextEntity("A", ((2, 6),), surface="pain"),
        TextEntity("A", ((8, 12),), surface="rash"),
    ]
    assert convert_offsets(text, entities, report, NOWHERE) is entities
    assert report.issues == []


@pytest.mark.parametrize("units", ["utf-16", "bytes", "graphemes"])
def test_offsets_outside_the_text_stay_outside(units):
    text = "é\r\ne\u0301"
    found = count_in(text, [TextEntity("A", ((-1, 100),))], units)
    assert found[0].fragments == ((-1, 100 + len(text)),)
    # after the last grapheme, but not after the last character
    (found,) = count_in(text, [TextEntity("A", ((0, 4),))], "graphemes")
    assert found.fragments[0][1] > len(text)


def test_texts_that_cannot_be_checked_are_reported(report):
    entities = [TextEntity("A", ((0, 1),), surface=surface) for surface in (None, " ")]
    for text in ("e\u0301\r\n", "😀", "é"):
        convert_offsets(text, entities, report, NOWHERE, "graphemes")
    (issue,) = report.issues
    assert issue.message == "characters beyond the BMP, and offsets count graphemes"


@pytest.mark.parametrize(
    ("start", "end", "number"),
    [
        (0, 4, 0),
        (1, 4, 1),
        (0, 3, 1),
        (0, 5, 1),
        (4, 9, 1),
        (5, 9, 0),
        (2, 2, 2),
        (5, 40, 2),
        (10, 14, 0),
        (12, 14, 1),
    ],
)
def test_misplaced_boundaries(start, end, number):
    # a vowel sign is a part of its word
    assert count_misplaced("Neck pain दर्द.", [TextEntity("A", ((start, end),))]) == number


CASES = [
    ("brat", {"a.txt": "severe pain", "a.ann": "T1\tA 0 6\tpain\n"}),
    (
        "jsonl",
        {
            "a.jsonl": {
                "entities": [{"label": "A", "fragments": [{"start": 0, "end": 6}], "text": "pain"}]
            }
        },
    ),
    ("pubtator", {"a.pubtator": "1|t|severe pain\n1\t0\t6\tpain\tA\n"}),
    (
        "labelstudio",
        {
            "a.json": [
                {
                    "data": {"text": "severe pain"},
                    "annotations": [
                        {
                            "result": [
                                {
                                    "id": "1",
                                    "type": "labels",
                                    "value": {
                                        "start": 0,
                                        "end": 6,
                                        "text": "pain",
                                        "labels": ["A"],
                                    },
                                }
                            ]
                        }
                    ],
                }
            ]
        },
    ),
    (
        "bioc",
        {
            "a.json": {
                "documents": [
                    {
                        "id": "1",
                        "passages": [
                            {
                                "offset": 0,
                                "text": "severe pain",
                                "annotations": [
                                    {
                                        "id": "1",
                                        "infons": {"type": "A"},
                                        "text": "pain",
                                        "locations": [{"offset": 0, "length": 6}],
                                    }
                                ],
                            }
                        ],
                    }
                ]
            }
        },
    ),
]


@pytest.mark.parametrize(("name", "files"), CASES, ids=[name for name, _ in CASES])
def test_surface_texts_that_contradict_offsets(write, tmp_path, name, files):
    def content(value):
        if isinstance(value, dict) and name == "jsonl":
            value = {"text": "severe pain", **value}
        return value if isinstance(value, str) else json.dumps(value)

    folder = write({f"in/{file}": content(value) for file, value in files.items()}) / "in"
    report = convert(folder, tmp_path / "a.jsonl", format=name)
    assert report.counts("kept") == {SURFACE: 1}
    with pytest.raises(GapDNERError, match=r"is 'pain', but its offsets give 'severe' \(surface"):
        convert(folder, tmp_path / "b.jsonl", format=name, strict=True)
    assert not (tmp_path / "b.jsonl").exists()


def bioc(*passages):
    return json.dumps({"documents": [{"id": "1", "passages": passages}]})


def annotation(text, *locations, key="type"):
    pairs = [{"offset": a, "length": n} for a, n in locations]
    return {"id": "x", "infons": {key: "A", "n": "1"}, "text": text, "locations": pairs}


SHORT = "Naïve 😀 T cells"
BODY = {"offset": 20, "text": "β cells and T cells"}
WAYS = {
    "characters": [],
    "UTF-16": ["offsets in UTF-16"],
    "bytes": ["offsets in bytes"],
    "passage": ["offsets in characters from the start of the passage"],
    "passage in bytes": ["offsets in bytes from the start of the passage"],
    "sentence": ["offsets in characters from the start of the sentence"],
    "overlap": ["offsets in characters from the start of the passage"],
}
TOTALS = {
    # the offsets of the second passage, of "T cells" in the first, and of "β" and "T cells"
    "characters": (20, 8, 20, 32),
    "UTF-16": (20, 9, 20, 32),
    "bytes": (24, 12, 24, 37),
    "passage": (20, 8, 0, 12),
    "passage in bytes": (24, 12, 0, 13),
    "sentence": (20, 8, 0, 0),
    "overlap": (0, 8, 0, 12),
}


@pytest.mark.parametrize("way", WAYS)
def test_offsets_of_bioc(write, report, way):
    offset, first, second, third = TOTALS[way]
    length = 8 if "bytes" in way else 7
    one = annotation("T cells", (first, 7))
    # a discontinuous entity
    two = annotation("β ... T cells", (second, length - 6), (third, 7))
    three = annotation("T cells", (third, 7))
    body = {"offset": offset, "text": "β cells and T cells", "annotations": [two, three]}
    if way == "sentence":
        two = annotation("β cells", (second, 7))
        sentences = [
            {"offset": 20, "text": "β cells and", "annotations": [two]},
            {"offset": 32, "text": "T cells", "annotations": [three]},
        ]
        body = {"offset": 20, "sentences": sentences}
    path = write({"a.json": bioc({"offset": 0, "text": SHORT, "annotations": [one]}, body)})
    (doc,) = read(path, report=report)
    expected = ["T cells", "β cells" if way == "sentence" else "β T cells", "T cells"]
    assert [e.text for e in get_entities(doc)] == expected
    assert [issue.kind for issue in report.issues] == WAYS[way]


def test_bioc_counts_characters_if_nothing_is_better(write, report):
    # one annotation matches in characters, another one in bytes
    found = [annotation("T cells", (8, 7)), annotation("😀", (7, 4))]
    path = write({"a.json": bioc({"offset": 0, "text": SHORT, "annotations": found})})
    (doc,) = read(path, report=report)
    assert "T cells" in [e.text for e in get_entities(doc)]
    assert report.counts()[SURFACE] == 1
    assert not [kind for kind in report.counts() if kind.startswith("offsets in")]


def test_bioc_without_types(write, report):
    body = {"offset": 0, "text": SHORT, "annotations": [annotation("Naïve", (0, 5), key="kind")]}
    path = write({"a.json": bioc(body)})
    (doc,) = read(path, report=report)
    assert not get_entities(doc)
    (issue,) = report.issues
    assert issue.kind == "annotation without a type"
    assert (
        issue.message
        == "'Naïve' has no infon 'type'. The infons are 'kind', 'n'. Choose one: --option type=KEY"
    )
    (doc,) = read(path, type="kind")
    assert [(e.label_, e.attrs["_"]) for e in get_entities(doc)] == [("A", {"n": "1"})]


def doccano(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    ("units", "kinds"),
    [("utf-16", []), ("graphemes", ["graphemes"]), ("characters", ["characters"])],
)
def test_offsets_of_doccano(write, report, units, kinds):
    # CRLF, a combining mark and an emoji
    text = "Report\r\ncafe\u0301 😀\r\nmild neck pain\r\nsince Zyx"
    before = {"characters": 17, "utf-16": 18, "graphemes": 14}[units]
    later = {"characters": 39, "utf-16": 40, "graphemes": 35}[units]
    label = [[before + 5, before + 14, "Sign"], [later, later + 3, "Drug"]]
    # a file without any difference does not change the choice
    records = doccano(
        {"id": 1, "text": "rash", "label": [[0, 4, "Sign"]]}, {"text": text, "label": label}
    )
    path = write({"a.jsonl": records})
    _, doc = read(path, report=report)
    assert [e.text for e in get_entities(doc)] == ["neck pain", "Zyx"]
    found = [
        issue.kind.removeprefix("offsets in ")
        for issue in report.issues
        if issue.action == "repaired"
    ]
    assert found == kinds
    # the option overrides the choice
    _, doc = read(path, offsets=units)
    assert [e.text for e in get_entities(doc)] == ["neck pain", "Zyx"]


def test_doccano_counts_utf_16_if_graphemes_are_not_clearly_better(write, report):
    # one of two boundaries would not be inside the word
    records = doccano({"text": "xx\r\nabcd efgh", "label": [[5, 7, "A"]]})
    (doc,) = read(write({"a.jsonl": records}), report=report, alignment="split")
    assert [e.text for e in get_entities(doc)] == ["bc"]
    assert report.issues == []


def test_parts_of_words_do_not_change_what_doccano_counts(write, report):
    text = "Knieschmerzen\r\nund Fieber"
    label = [[0, 4, "Part"], [4, 13, "Sign"], [19, 25, "Sign"]]
    (doc,) = read(
        write({"a.jsonl": doccano({"text": text, "label": label})}), report=report, lang="de"
    )
    assert doc.text[19:25] == "Fieber"
    assert "offsets in graphemes" not in report.counts()


@pytest.mark.parametrize(
    "values",
    [
        {"annotations": [{"label": 2, "start_offset": 0, "end_offset": 4, "user": 1}]},
        {"label": [[0, 4, 2]]},
    ],
)
def test_old_exports_of_doccano(write, values):
    path = write({"a.jsonl": doccano({"id": 1, "text": "rash", **values})})
    with pytest.raises(
        GapDNERError, match="the number 2 instead of a label: it is an export of an"
    ):
        list(read(path))


def test_old_exports_of_label_studio(write):
    result = {"id": "1", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["A"]}}
    tasks = json.dumps([{"data": {"text": "rash"}, "completions": [{"result": [result]}]}])
    path = write({"a.json": tasks})
    with pytest.raises(GapDNERError, match=r"export of a Label Studio version before 1\.0"):
        list(read(path))
    # as the message suggests
    (doc,) = read(write({"a.json": tasks.replace("completions", "annotations")}))
    assert [e.text for e in get_entities(doc)] == ["rash"]


def test_report_begins_with_contradictions(capsys):
    from spacy_gapdner.cli._util import print_report

    report = Report(entities=9)
    report.add("dropped", "a", "message", NOWHERE)
    report.add("kept", SURFACE, "message", NOWHERE)
    print_report(report)
    first = capsys.readouterr().out.splitlines()[0]
    assert "The surface text contradicts the offsets of 1 of 9 entities" in first
