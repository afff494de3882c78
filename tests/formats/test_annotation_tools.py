"""Prodigy, doccano and Label Studio, and the links between regions that join fragments."""

import json

import pytest

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import DOC_NAME, Place, Report, convert, guess_format, read
from spacy_gapdner.formats.cleaning import convert_offsets
from spacy_gapdner.formats.linked_regions import LinkedRegions
from spacy_gapdner.formats.records import TextEntity


def entities(doc):
    return [(e.label_, e.text) for e in get_entities(doc)]


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def read_all(path, report, **options):
    return [entities(doc) for doc in read(path, report=report, **options)]


def test_doccano_lists_of_labels(write, report):
    records = [
        {"id": 7, "text": "joint pain", "label": [[0, 5, "Part"], [6, 10, "ADE"]], "Comments": []},
        {"text": "pain", "labels": [[0, 4, "ADE"], [0, "4", "ADE"], [0, 9, "ADE"]]},
    ]
    path = write({"a.jsonl": lines(*records)})
    assert guess_format(path) == "doccano"
    assert read_all(path, report) == [[("Part", "joint"), ("ADE", "pain")], [("ADE", "pain")]]
    assert report.counts("dropped") == {"malformed entity": 1, "invalid offsets": 1}


def test_relations_of_doccano(write, report):
    ends = [(1, 0, 6), (2, 13, 17), (3, 7, 12)]
    found = [{"id": n, "label": "ADE", "start_offset": s, "end_offset": e} for n, s, e in ends]
    names = {(1, 2): "Fragment", (2, 3): "cause"}
    links = [{"id": 9, "from_id": a, "to_id": b, "type": t} for (a, b), t in names.items()]
    record = {"text": "severe joint pain", "entities": found, "relations": links}
    path = write({"a.jsonl": lines(record)})
    assert guess_format(path) == "doccano"
    assert read_all(path, report) == [[("ADE", "severe pain"), ("ADE", "joint")]]
    assert report.counts("dropped") == {"relation": 1}


def test_texts_of_doccano_1_5(write, report):
    path = write({"a.jsonl": lines({"id": 3, "data": "joint pain", "label": [[6, 10, "ADE"]]})})
    (doc,) = read(path, report=report)
    assert (guess_format(path), entities(doc)) == ("doccano", [("ADE", "pain")])
    assert (doc.text, doc.user_data["gapdner_record"]) == ("joint pain", {"id": 3})


def test_prodigy_answers(write, report):
    spans = [{"start": 0, "end": 4, "label": "ADE"}, {"start": 0, "end": 4, "label": "Part"}]
    relation = {"head_span": spans[0], "child_span": spans[1], "label": "cause"}
    tasks = [
        {"text": "pain", "spans": spans, "answer": "accept", "relations": [relation]},
        {"text": "rash", "_task_hash": 1, "answer": "reject"},
        {"text": "pain", "spans": [{"start": 0}]},
        {"text": "rash", "spans": spans, "_is_binary": True},
        {"text": "rash", "_is_binary": False, "_view_id": "choice"},
    ]
    path = write({"a.jsonl": lines(*tasks)})
    assert guess_format(path) == "prodigy"
    assert read_all(path, report) == [[("ADE", "pain"), ("Part", "pain")], []]
    kinds = ["task that was not accepted", "malformed entity", "relation"]
    kinds += ["binary answer", "answer in the interface 'choice'"]
    assert report.counts("dropped") == dict.fromkeys(kinds, 1)


@pytest.mark.parametrize("tool", ["doccano", "prodigy"])
def test_annotators(write, report, tool):
    texts = [(1, "pain"), (1, "pain"), (2, "rash")]
    first, second, third = ({"id": n, "text": text, "spans": [], "label": []} for n, text in texts)
    files = {"ann.jsonl": lines(first), "bob.jsonl": lines(second, third)}
    if tool == "prodigy":
        first["_annotator_id"] = "ann"
        second["_session_id"] = third["_annotator_id"] = "bob"
        files = {"all.jsonl": lines(first, second, third)}
    path = write({f"in/{name}": content for name, content in files.items()}) / "in"

    def names(**options):
        return [doc.user_data[DOC_NAME] for doc in read(path, tool, report=report, **options)]

    assert names() == ["1-ann", "1-bob", "2"]
    assert report.counts() == {"text that appears more than once": 1}
    assert names(annotator="bob") == ["1", "2"]
    with pytest.raises(GapDNERError, match=r"no annotator 'x'\. Choose ann, bob\."):
        names(annotator="x")
    # the names stay unique in JSONL, which reports the two ids that it replaces
    output = path.parent / "out.jsonl"
    assert convert(path, output, format=tool).counts("dropped") == {"document metadata": 2}
    assert [doc.user_data[DOC_NAME] for doc in read(output)] == ["1-ann", "1-bob", "2"]


def region(id, start, end, text, tag="label", **more):
    value = {"start": start, "end": end, "text": text, "labels": ["ADE"]}
    return {"id": id, "type": "labels", "to_name": tag, "value": value, **more}


def link(start, end, direction):
    ends = {"from_id": start, "to_id": end, "direction": direction}
    return {"type": "relation", "labels": ["fragment"], **ends}


def export(write, *tasks):
    """Write tasks in the export format of Label Studio."""
    made = [
        {"id": n, "data": data, "annotations": [{"was_cancelled": False, "result": results}]}
        for n, (data, results) in enumerate(tasks, start=1)
    ]
    return write({"a.json": json.dumps(made)})


def test_labelstudio_finds_the_annotated_text(write, report):
    data = {"text": "a name", "review": "joint pain", "url": "x"}
    second = {"text": "a pain", "review": "no rash"}
    note = {"meta": {"text": ["sure"]}, "score": 0.75}
    path = export(write, (data, [region("r", 6, 10, "pain", **note)]), (second, []))
    docs = list(read(path, report=report))
    found = [(doc.text, entities(doc)) for doc in docs]
    assert found == [("joint pain", [("ADE", "pain")]), ("no rash", [])]
    assert docs[0].user_data["gapdner_record"] == {"text": "a name", "url": "x"}
    (entity,) = get_entities(docs[0])
    assert entity.attrs == {"id": "r", "score": 0.75, "_": {"note": "sure"}}
    assert not report.issues
    assert [doc.text for doc in read(path, text="text", report=report)] == ["a name", "a pain"]


def test_labelstudio_with_two_texts(write, report):
    data = {"q": "joint or arm, pain", "a": "arm and leg pain"}
    found = [region("1", 9, 12, "arm", "x"), region("2", 14, 18, "pain", "x")]
    found += [region("3", 0, 3, "arm", "y"), region("4", 12, 16, "pain", "y")]
    path = export(write, (data, [*found, link("1", "2", "right"), link("3", "4", "right")]))
    docs = list(read(path, report=report))
    names = [(doc.user_data[DOC_NAME], doc.text) for doc in docs]
    assert names == [("1-x", data["q"]), ("1-y", data["a"])]
    assert [entities(doc) for doc in docs] == [[("ADE", "arm pain")]] * 2
    assert not report.issues
    (chosen,) = read(path, text="a", report=(counted := Report()))
    assert (chosen.text, entities(chosen)) == (data["a"], [("ADE", "arm pain")])
    assert counted.counts("dropped") == {"annotation without a text": 3}
    # the other text of the task is kept
    found[2]["value"]["labels"] = 5
    path = export(write, (data, found))
    assert [doc.text for doc in read(path, report=Report(skip=True))] == [data["q"]]


def test_labelstudio_does_not_guess_the_text(write):
    path = export(write, ({"q": "joint", "a": "pain"}, []))
    with pytest.raises(
        GapDNERError, match=r"can be the text: a, q\. Choose it with --option text=KEY"
    ):
        list(read(path, "labelstudio"))


@pytest.mark.parametrize(
    ("direction", "found"),
    [("right", ["arm pain", "leg pain"]), ("left", ["arm leg pain"]), ("bi", ["arm leg pain"])],
)
def test_labelstudio_link_directions(write, report, direction, found):
    results = [region("1", 0, 3, "arm"), region("2", 5, 8, "leg"), region("3", 10, 14, "pain")]
    results += [link("1", "3", direction), link("2", "3", direction)]
    # the parts have two types, and the links apply to each type
    for part in (results[0], results[2]):
        part["value"]["labels"] = ["ADE", "Body"]
    path = export(write, ({"text": "arm, leg, pain"}, results))
    expected = [*(("ADE", text) for text in found), ("Body", "arm pain")]
    assert sorted(*read_all(path, report)) == expected
    assert not report.issues


def test_labelstudio_counts_skipped_items(write, report):
    page = {"start": "/p[1]/text()[1]", "startOffset": 0, "hypertextlabels": ["ADE"]}
    results = [
        {"id": "1", "type": "hypertextlabels", "to_name": "text", "value": page},
        {"id": "3", "type": "labels", "to_name": "text", "value": {**page, "labels": ["ADE"]}},
        {"id": "2", "type": "textarea", "to_name": "text", "value": {"text": ["x"]}},
    ]
    cancelled = {"was_cancelled": True, "result": [region("r", 0, 4, "pain")]}
    both = region("r", 0, 4, "pain")
    both["value"]["labels"] = ["ADE", "Part"]
    truth = {"ground_truth": True, "result": [both, {"type": "choices"}]}
    odd = {"result": [region("r", "a[1]", 2, "rash")]}
    tasks = [
        {"id": 1, "data": {"text": "pain"}, "annotations": [{"result": results}, cancelled]},
        {"id": 2, "data": {"text": "pain"}, "annotations": [], "drafts": [{"result": results}]},
        {"id": 5, "data": {"text": "pain"}, "annotations": [cancelled | {"result": []}]},
        {"id": 3, "data": {"text": "pain", "url": "x"}, "annotations": [{"result": []}, truth]},
        {"id": 4, "data": {"post": "rash"}, "annotations": [odd], "predictions": [7]},
    ]
    path = write({"a.json": json.dumps(tasks)})
    assert read_all(path, report) == [[], [("ADE", "pain"), ("Part", "pain")], []]
    types = ("hypertextlabels", "textarea", "choices")
    kinds = [f"annotation of the type {name}" for name in types]
    kinds += ["annotation of a skipped task", "second annotation of a task", "draft"]
    kinds += ["malformed entity"]
    twice = dict.fromkeys(["task without annotation", "annotation of the type hypertextlabels"], 2)
    assert report.counts("dropped") == dict.fromkeys(kinds, 1) | twice
    assert report.counts("kept") == {"unused predictions": 1}
    messages = [i.message for i in report.issues if i.kind == "task without annotation"]
    assert messages == ["the task has no submitted annotation", "the task was skipped"]


def test_utf_16_offsets_of_a_last_emoji(report):
    entity = TextEntity("ADR", ((3, 11),), surface="tired \U0001f634")
    (converted,) = convert_offsets("So tired \U0001f634", [entity], report, Place(), None)
    assert converted.fragments == ((3, 10),)


@pytest.mark.parametrize(
    ("offsets", "start", "end"), [("utf-16", 10, 15), ("characters", 7, 12), ("graphemes", 6, 11)]
)
def test_doccano_counts_characters_like_a_browser(write, report, offsets, start, end):
    # each flag is one grapheme of two characters, and four code units
    text = "😀 🇩🇪 - joint pain"
    record = {"id": 1, "text": text, "label": [[start, end, "Part"]], "answer": "no", "ward": "3"}
    path = write({"a.jsonl": lines(record)})
    options = {} if offsets == "utf-16" else {"offsets": offsets}
    (doc,) = read(path, report=report, **options)
    assert entities(doc) == [("Part", "joint")]
    assert doc.user_data["gapdner_record"] == {"id": 1, "answer": "no", "ward": "3"}
    noted = [] if offsets == "characters" else ["offsets without surface texts to check them"]
    assert [issue.kind for issue in report.issues] == noted
    with pytest.raises(GapDNERError, match=r"Invalid offsets: 'x'\. Use characters, utf-16"):
        list(read(path, offsets="x"))


def test_prodigy_keeps_metadata_and_distinguishes_equal_spans(write, report):
    part, ade = ({"start": 0, "end": 3, "label": label} for label in ("Part", "ADE"))
    ade |= {"score": 0.5, "kb_id": "X:1"}
    end = {"start": 8, "end": 12, "label": "ADE", "id": "s1", "score": 0, "kb_id": "X:2"}
    task = {"text": "arm and pain", "meta": {"source": "x"}, "_task_hash": 1, "answer": "accept"}
    # two spans have the same offsets and different labels
    task |= {"spans": [part, ade, end, {**end, "label": "Part"}], "tokens": []}
    task["relations"] = [{"head_span": ade, "child_span": end, "label": "non-contig"}]
    # from predict
    task["entities"] = [{"label": "ADE", "fragments": []}]
    (doc,) = read(write({"a.jsonl": lines(task)}), report=report)
    assert entities(doc) == [("Part", "arm"), ("ADE", "arm pain"), ("Part", "pain")]
    values = [(e.score, e.kb_id_) for e in get_entities(doc)]
    assert values == [(None, ""), (0.0, "X:1"), (0.0, "X:2")]
    assert [issue.message for issue in report.issues] == ["ADE has kb_id 'X:1' and 'X:2'"]
    assert doc.user_data["gapdner_record"] == {"meta": {"source": "x"}}
    task["relations"] = []
    (doc,) = read(write({"a.jsonl": lines(task)}), report=report)
    values = [(e.id_, e.score) for e in get_entities(doc)]
    assert values == [("", 0.5), ("", None), ("s1", 0.0), ("s1", 0.0)]


# A = "severe joint", B = "shoulder", C = "pain", D = "rash"
TEXT = "severe joint, shoulder-pain, rash"
OFFSETS = {"A": (0, 12), "B": (14, 22), "C": (23, 27), "D": (29, 33)}


@pytest.fixture
def regions(report):
    return LinkedRegions(Place("a.json", None, "d"), report)


def join(regions, links, **labels):
    for name, pair in OFFSETS.items():
        regions.add(name, labels.get(name, "ADE"), [pair], name)
    for link in links:
        regions.link(*link)
    return regions.to_record(TEXT).entities


@pytest.mark.parametrize(
    ("links", "found"),
    [
        ("", ["A", "B", "C", "D"]),
        ("A-C", ["AC", "B", "D"]),
        # both contain the last word
        ("A-C B-C", ["AC", "BC", "D"]),
        # a chain, a star, and a star whose first fragment is not the first in the text
        ("A-B B-C", ["ABC", "D"]),
        ("A-B A-C", ["ABC", "D"]),
        ("C-A C-B", ["ABC", "D"]),
        # cycles, and a cycle with an incoming link
        ("A-C C-A", ["AC", "B", "D"]),
        ("C-C", ["A", "B", "C", "D"]),
        ("B-A A-C C-A", ["ABC", "D"]),
    ],
)
def test_join(regions, report, links, found):
    joined = join(regions, [("Fragment", *pair.split("-")) for pair in links.split()])
    names = {offsets: name for name, offsets in OFFSETS.items()}
    assert sorted("".join(names[f] for f in e.fragments) for e in joined) == found
    assert not report.issues


def test_items_that_are_not_entities_are_counted(regions, report):
    links = [("fragment", "A", "C"), ("fragment", "B", "x"), ("cause", "A", "D")]
    assert [e.id for e in join(regions, links, C="Part")] == ["B", "D"]
    kinds = ["relation", "fragments of different types"]
    kinds += ["fragment that is not a region with a type"]
    assert report.counts("dropped") == dict.fromkeys(kinds, 1)
    assert report.issues[-1].offsets == ((0, 12), (23, 27))


def test_regions_may_share_an_id_or_have_none(regions, report):
    for name, pair in zip([None, "x", "x", None], OFFSETS.values(), strict=True):
        regions.add(name, "ADE", [pair], name)
    regions.link("fragment", "x", "x")
    found = sorted(entity.fragments for entity in regions.to_record(TEXT).entities)
    assert found == [(pair,) for pair in OFFSETS.values()]
    assert not report.issues


@pytest.mark.parametrize("shift", [0, 1])
def test_browser_offsets(regions, report, shift):
    text = "😀 rash 😀 pain"
    regions.add("", "ADE", [(2 + shift, 6 + shift)], 1, "rash")
    regions.add("", "ADE", [(9 + 2 * shift, 13 + 2 * shift)], 2, "pain")
    found = regions.to_record(text).entities
    assert [text[a:b] for e in found for a, b in e.fragments] == ["rash", "pain"]
    assert report.counts()["offsets in UTF-16"] == shift


def test_long_chains(regions):
    n = 40_000
    for number in range(n):
        regions.add("", "ADE", [(2 * number, 2 * number + 1)], number)
        if number:
            regions.link("fragment", number - 1, number)
    (entity,) = regions.to_record("a," * n).entities
    assert len(entity.fragments) == n
