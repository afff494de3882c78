"""Coordinations that share a word, which contiguous spans cannot hold: annotated, saved, drawn."""

import json
import re

import pytest
import spacy
from drawn import Drawn, rows

from spacy_gapdner import Entity, convert, get_entities, read, render, set_entities, write
from spacy_gapdner.formats import DOC_NAME, Report

HINT = re.compile(r'title="(.+?): (.+?)"')
# text, type, and each entity's tokens with what the .ann file says of it
COORDINATIONS = [
    (
        "potassium and magnesium replacement",
        "Procedure",
        {
            ((0, 1), (3, 4)): ("0 9;24 35", "potassium replacement"),
            ((2, 4),): ("14 35", "magnesium replacement"),
        },
    ),
    (
        "energy intake and dissipation",
        "Process",
        {
            ((0, 2),): ("0 13", "energy intake"),
            ((0, 1), (3, 4)): ("0 6;18 29", "energy dissipation"),
        },
    ),
]


def plain(doc):
    return [(e.label_, e.fragments, e.text) for e in get_entities(doc)]


@pytest.mark.parametrize(("text", "label", "entities"), COORDINATIONS)
def test_coordination(text, label, entities, tmp_path):
    doc = spacy.blank("en")(text)
    set_entities(doc, [Entity(label, fragments) for fragments in entities])
    doc.user_data[DOC_NAME] = "a"
    expected = [(label, fragments, text) for fragments, (_, text) in entities.items()]
    assert plain(doc) == expected

    report = Report(strict=True)
    write([doc], tmp_path / "brat", report=report)
    lines = (tmp_path / "brat" / "a.ann").read_text().splitlines()
    assert lines == [
        f"T{number}\t{label} {offsets}\t{text}"
        for number, (offsets, text) in enumerate(entities.values(), start=1)
    ]
    assert [plain(back) for back in read(tmp_path / "brat", report=report)] == [expected]
    assert report.issues == []

    write([doc], tmp_path / "a.jsonl")
    found = json.loads((tmp_path / "a.jsonl").read_text())["entities"]
    offsets = [";".join(f"{f['start']} {f['end']}" for f in e["fragments"]) for e in found]
    assert [(o, e["text"]) for o, e in zip(offsets, found, strict=True)] == list(entities.values())
    convert(tmp_path / "a.jsonl", tmp_path / "a.spacy")
    assert [plain(back) for back in read(tmp_path / "a.spacy")] == [expected]

    html = render(doc)
    hints = {(name, text.replace(" … ", " ")) for name, text in re.findall(HINT, html)}
    assert {(label, text) for _, text in entities.values()} <= hints
    (sentence,) = Drawn(html).sentences
    # both meet, so that each has a row
    assert len(rows(sentence)) == 2
    for row, fragments in zip(rows(sentence), entities, strict=True):
        held = {i for start, end in fragments for i in range(start, end)}
        assert {i for i, mark in enumerate(row) if mark == "="} == held
        assert row.strip().count(".") == fragments[-1][1] - fragments[0][0] - len(held)
