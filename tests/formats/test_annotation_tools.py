"""Prodigy, doccano, Label Studio, PubTator and CoNLL."""

import json

from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME, guess_format, read


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


def test_prodigy_answers(write, report):
    spans = [{"start": 0, "end": 4, "label": "ADE"}, {"start": 0, "end": 4, "label": "Part"}]
    relation = {"head_span": spans[0], "child_span": spans[1], "label": "cause"}
    tasks = [
        {"text": "pain", "spans": spans, "answer": "accept", "relations": [relation]},
        {"text": "rash", "_task_hash": 1, "answer": "reject"},
        {"text": "pain", "spans": [{"start": 0}]},
    ]
    path = write({"a.jsonl": lines(*tasks)})
    assert guess_format(path) == "prodigy"
    assert read_all(path, report) == [[("ADE", "pain"), ("Part", "pain")], []]
    assert report.counts("dropped") == {
        "task that was not accepted": 1,
        "malformed entity": 1,
        "relation": 1,
    }


def result(start, end, *labels):
    return {"id": "r", "type": "labels", "value": {"start": start, "end": end, "labels": labels}}


def test_labelstudio_annotations(write, report):
    truth = {"ground_truth": True, "result": [result(0, 4, "ADE", "Part"), {"type": "choices"}]}
    tasks = [
        {"id": 1, "data": {"text": "pain", "url": "x"}, "annotations": [{"result": []}, truth]},
        {"id": 2, "data": {"post": "rash"}, "annotations": [{"result": [result("a[1]", 2, "X")]}]},
        {"id": 3, "data": {"text": "x"}, "annotations": [{"was_cancelled": True, "result": []}]},
    ]
    path = write({"a.json": json.dumps(tasks)})
    assert read_all(path, report) == [[("ADE", "pain"), ("Part", "pain")], []]
    assert report.counts("dropped") == {
        "second annotation of a task": 1,
        "malformed entity": 1,
        "task without annotation": 1,
    }


def test_conll_tags(write, report):
    # IOB1, IOB2, BIOES and BILOU; a comment, a token like one, and two documents
    text = (
        "-DOCSTART- -X- O O\n\n# id 1\na X I-A\nb X I-A\nc X B-A\n# X O\n\n"
        "a B-A\nb I-A\nc I-B\n\n-DOCSTART-\tO\n\na S-A\nb B-B\nc E-B\n\na U-A\nb B-B\nc L-B"
    )
    path = write({"x.iob": text})
    assert guess_format(path) == "conll"
    first, second = read(path, report=report)
    assert [doc.user_data[DOC_NAME] for doc in (first, second)] == ["x-1", "x-2"]
    assert [s.text for s in first.sents] == ["a b c #", "a b c"]
    assert entities(first) == [("A", "a b"), ("A", "c"), ("A", "a b"), ("B", "c")]
    assert entities(second) == [("A", "a"), ("B", "b c")] * 2


def test_pubtator(write, report):
    text = (
        "12|t|Joint pain\n12|a|It is severe.\n12\t0\t10\tJoint pain\tDisease\tMESH:D1\tx\n"
        "12\t17\t23\tsevere\tGrade\t-\n12\tCID\tD1\tD2\n12\tx\n\n13|t|None\n13|a|\n"
    )
    path = write({"a.PubTator": text})
    assert guess_format(path / "a.PubTator") == guess_format(path) == "pubtator"
    first, second = read(path, report=report)
    assert first.text == "Joint pain\nIt is severe."
    assert [(*e, k.kb_id_) for e, k in zip(entities(first), get_entities(first), strict=True)] == [
        ("Disease", "Joint pain", "MESH:D1"),
        ("Grade", "severe", ""),
    ]
    assert (second.text, second.user_data[DOC_NAME]) == ("None\n", "13")
    assert report.counts("dropped") == {"relation": 1, "malformed line": 1}
