import re
from datetime import date

import pytest
import spacy
from drawn import labels, make_doc, rows, sentences

from spacy_gapdner import Entity, GapDNERError
from spacy_gapdner.drawing.colors import choose_colors
from spacy_gapdner.drawing.render import render, write_documents

TEXT = "Naproxen gave severe joint and back pain. It went away."
ENTITIES = [
    Entity("DRUG", ((0, 1),), 0.875),
    Entity("ADE", ((2, 4), (6, 7)), 0.75),
    Entity("ADE", ((2, 3), (5, 7))),
]


def test_sentences_with_their_entities():
    html = render(make_doc(TEXT, ENTITIES))
    first, second = sentences(html)
    assert rows(first) == ["= ==..= ", "  =..== "]
    assert labels(first) == ["DRUG 0.88", "ADE 0.75", "ADE"]
    assert [word for word, _ in second] == ["It ", "went ", "away."]
    assert 'title="ADE 0.75: severe joint … pain"' in html
    used = {(label.split()[0], color) for _, cells in first for _, color, label in cells if label}
    assert used == {("DRUG", "var(--type-0)"), ("ADE", "var(--type-1)")}
    colors = choose_colors(["ADE", "DRUG"])
    assert f'style="--type-0: {colors["DRUG"]}; --type-1: {colors["ADE"]}"' in html
    legend = re.findall(r'<li><i style="--color: (\S+)"></i>(\w+)</li>', html)
    assert [(label, color) for color, label in legend] == list(colors.items())


def test_gold_and_predictions_side_by_side():
    html = render(make_doc(TEXT, ENTITIES), gold=make_doc(TEXT, ENTITIES[:1]))
    assert re.findall(r'data-side="(.+?)"', html) == ["gold", "predicted"] * 2
    gold, predicted, *others = sentences(html)
    assert [len(rows(words)) for words in (gold, predicted, *others)] == [1, 2, 0, 0]
    assert labels(gold) == ["✓ DRUG 0.88"]
    assert labels(predicted) == ["✓ DRUG 0.88", "+ spurious ADE 0.75", "+ spurious ADE"]
    assert legend(html) == ["✓ correct 1", "+ spurious 2"]


def legend(html):
    return re.findall(r'<li data-mark="\w+">(.+?)</li>', html)


def test_gold_is_never_incorrect():
    text = "Treated with Interleukin-2 (IL-2) therapy and aspirin."
    gold = [Entity("PROC", ((2, 7),)), Entity("MEAS", ((8, 9),))]
    found = [Entity("PROC", ((4, 7),), 0.5), Entity("DRUG", ((8, 9),), 0.75)]
    html = render(make_doc(text, found), gold=make_doc(text, gold))
    reference, predicted = sentences(html)
    boundary, type_ = "≠ PROC, boundary: predicted IL-2) therapy", "≠ MEAS, type: predicted DRUG"
    assert labels(reference) == [boundary, type_]
    assert labels(predicted) == ["✗ PROC 0.50, boundary", "✗ DRUG 0.75, type"]
    assert 'title="✗ PROC 0.50: IL-2) therapy (boundary)"' in html
    assert legend(html) == ["✗ incorrect 2", "≠ differs 2"]
    with pytest.raises(GapDNERError, match="Use the same documents"):
        render(make_doc(text), gold=make_doc("Another text."))


def test_sentences_of_a_document_share_a_heading():
    names = {"No pain.": "a", "Fever.": "a", "Rash.": "b", "Cough.": None}
    html = render([make_doc(text, name=name) for text, name in names.items()])
    assert re.findall(r"<h2>(.+?)</h2>", html) == ["a", "b"]
    assert html.count('<section class="doc">') == html.count("</section>") == 3
    assert "<p" not in html


def test_sentences_that_an_entity_crosses_are_joined():
    doc = make_doc("Pain in the leg. And in the arm. Gone.", [Entity("ADE", ((0, 1), (8, 9)))])
    assert [len(words) for words in sentences(render(doc))] == [10, 1]


def test_lines_of_a_text_without_sentences():
    text = "Pain\n- in the leg\n\n- in the arm"
    doc = make_doc(text, [Entity("ADE", ((0, 1),))], nlp=spacy.blank("en"))
    lines = ["".join(word for word, _ in words) for words in sentences(render(doc))]
    assert lines == ["Pain", "- in the leg", "- in the arm"]


def test_right_to_left():
    text = "(ألم في الكتف (severe pain 3/10) أمس"
    html = render(make_doc(text, [Entity("ADE", ((1, 2),))], nlp=spacy.blank("ar")))
    assert '<div class="entities" dir="rtl">' in html
    # browsers do not reorder columns, so text in the other direction needs its own element
    assert re.findall(r'<span dir="ltr">(.+?)</span>', html) == ["severe pain "]


def test_pages(tmp_path):
    docs = [make_doc(TEXT, ENTITIES), make_doc("No pain.")]
    html = render(docs, page=True)
    assert html.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in html
    assert not re.search(r"https?:|src=|href=|<link|@import", html)
    assert write_documents(((doc,) for doc in docs), tmp_path / "a.html") == 2
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == html
    facts = f"2 Docs · 3 entities, 2 discontinuous · {date.today()}"
    assert f'<p class="note">{facts}</p>' in re.sub(r"\s*\n\s*", "", html)
