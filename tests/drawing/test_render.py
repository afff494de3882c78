"""Documents as HTML: what is drawn under which word, in which color, and what is refused."""

import re

import pytest
import spacy
from drawn import Drawn, labels, rows

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.drawing.colors import choose_colors
from spacy_gapdner.drawing.render import render
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME

TEXT = "Naproxen gave severe joint and back pain. It went away."
ENTITIES = [
    Entity("DRUG", ((0, 1),), 0.875),
    Entity("ADE", ((2, 4), (6, 7)), 0.75),
    Entity("ADE", ((2, 3), (5, 7))),
]


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer")
    return nlp


@pytest.fixture
def doc(nlp):
    doc = nlp(TEXT)
    set_entities(doc, ENTITIES)
    return doc


def test_sentences_with_their_entities(doc):
    html = render(doc)
    first, second = Drawn(html).sentences
    assert rows(first) == ["= ==..= ", "  =..== "]
    assert labels(first) == [("Naproxen", "DRUG 0.88"), ("severe", "ADE 0.75"), ("severe", "ADE")]
    assert [word for word, _ in second] == ["It ", "went ", "away."]
    assert 'title="ADE 0.75: severe joint … pain"' in html
    used = {(label.split()[0], color) for _, cells in first for _, color, label in cells if label}
    assert used == {("DRUG", "var(--type-0)"), ("ADE", "var(--type-1)")}
    colors = choose_colors(["ADE", "DRUG"])
    assert f'style="--type-0: {colors["DRUG"]}; --type-1: {colors["ADE"]}"' in html
    assert re.findall(r"</i>(\w+)</li>", html) == ["ADE", "DRUG"]


def test_gold_stands_beside_the_prediction(nlp, doc):
    gold = nlp(TEXT)
    set_entities(gold, ENTITIES[:1])
    html = render(doc, gold=gold)
    assert re.findall(r'data-side="(.+?)"', html) == ["gold", "predicted"] * 2
    gold, predicted, *others = Drawn(html).sentences
    assert [len(rows(words)) for words in (gold, predicted, *others)] == [1, 2, 0, 0]
    assert labels(gold) == [("Naproxen", "✓ DRUG 0.88")]
    # in text order; the second overlaps the first alone
    assert [label for _, label in labels(predicted)] == [
        "✓ DRUG 0.88",
        "+ spurious ADE 0.75",
        "+ spurious ADE",
    ]
    assert "<li>✓ correct</li>" in html


def test_sentences_of_a_document_stand_below_one_heading(nlp):
    docs = [nlp(text) for text in ("No pain.", "Fever.", "Rash.", "Cough.")]
    for doc, name in zip(docs, ("a", "a", "b", None), strict=True):
        doc.user_data[DOC_NAME] = name
    html = render(docs)
    assert re.findall(r"<h2>(.+?)</h2>", html) == ["a", "b"]
    assert html.count('<section class="doc">') == html.count("</section>") == 3


def test_gold_of_another_text_is_refused(nlp, doc):
    with pytest.raises(GapDNERError, match="Use the same documents"):
        render(doc, gold=nlp("Another text."))


def test_sentences_that_an_entity_crosses_are_drawn_as_one(nlp):
    doc = nlp("Pain in the leg. And in the arm. Gone.")
    set_entities(doc, [Entity("ADE", ((0, 1), (8, 9)))])
    assert [len(words) for words in Drawn(render(doc)).sentences] == [10, 1]


def test_lines_of_a_text_without_sentences():
    doc = spacy.blank("en")("Pain\n- in the leg\n\n- in the arm")
    set_entities(doc, [Entity("ADE", ((0, 1),))])
    lines = ["".join(word for word, _ in words) for words in Drawn(render(doc)).sentences]
    assert lines == ["Pain", "- in the leg", "- in the arm"]


def test_right_to_left():
    doc = spacy.blank("ar")("(ألم في الكتف (severe pain 3/10) أمس")
    set_entities(doc, [Entity("ADE", ((1, 2),))])
    html = render(doc)
    assert '<div class="entities" dir="rtl">' in html
    # columns are no text to the browser: what runs the other way needs an element of its own
    assert re.findall(r'<span dir="ltr">(.+?)</span>', html) == ["severe pain "]


def test_a_page_refers_to_nothing_outside(doc):
    html = render(doc, page=True)
    assert html.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in html
    assert not re.search(r"https?:|src=|href=|<link|@import", html)
