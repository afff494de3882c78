"""Documents as HTML: what is drawn under which word, in which colour, and what is refused."""

import re
from html.parser import HTMLParser

import pytest
import spacy

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.drawing.render import PALETTE, render
from spacy_gapdner.errors import GapDNERError

TEXT = "Brenorix gave severe joint and back pain. It went away."
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


class Bars(HTMLParser):
    """Of every drawn sentence its words, each with the (class, colour) of the bars under it."""

    def __init__(self, html):
        super().__init__()
        self.sentences, self.in_word = [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if attrs.get("class") == "entities":
            self.sentences.append([])
        if tag == "span" and attrs.get("class") == "word":
            self.sentences[-1].append(["", []])
            self.in_word = True
        elif tag == "i" and self.in_word:
            kind = attrs["class"].split()[0] if attrs["class"] else ""
            colour = attrs.get("style", "").removeprefix("color: ")
            self.sentences[-1][-1][1].append((kind, colour))

    def handle_endtag(self, tag):
        self.in_word = self.in_word and tag != "span"

    def handle_data(self, data):
        if self.in_word:
            self.sentences[-1][-1][0] += data


def test_every_entity_has_a_row_over_its_whole_extent(doc):
    ade, drug = PALETTE[:2]
    first, second = Bars(render(doc)).sentences
    none, frag, gap = ("", ""), ("fragment", ade), ("gap", ade)
    assert first == [
        ["Brenorix ", [("fragment", drug), none, none]],
        ["gave ", [none, none, none]],
        ["severe ", [none, frag, frag]],
        ["joint ", [none, gap, frag]],
        ["and ", [none, gap, gap]],
        ["back ", [none, frag, gap]],
        ["pain", [none, frag, frag]],
        [". ", [none, none, none]],
    ]
    assert second == [[word, []] for word in ("It ", "went ", "away", ".")]


def test_the_list_names_type_text_and_score(doc):
    html = " ".join(render(doc).split())
    assert re.findall(r"<b>(.+?)</b> <span>(.+?)</span>", html) == [
        ("DRUG", "Brenorix (0.88)"),
        ("ADE", "severe … back pain"),
        ("ADE", "severe joint … pain (0.75)"),
    ]
    assert 'title="ADE: severe joint … pain (0.75)"' in html


def test_colours_are_chosen_by_type(doc):
    html = render(doc, colors={"ADE": "hsl(10, 50%, 40%)"})
    assert 'style="color: hsl(10, 50%, 40%)"' in html
    assert f'color: {PALETTE[0]}"' not in html
    assert f'color: {PALETTE[1]}"' in html


@pytest.mark.parametrize("colour", ["red; background: url(x)", "expression(1)", '"', ""])
def test_what_is_no_colour_is_refused(doc, colour):
    with pytest.raises(GapDNERError, match="colour"):
        render(doc, colors={"ADE": colour})


def test_gold_stands_beside_the_prediction(nlp, doc):
    gold = nlp(TEXT)
    set_entities(gold, ENTITIES[:1])
    html = render(doc, gold=gold)
    assert re.findall(r"<h3>(.+?)</h3>", html) == ["gold", "predicted"] * 2
    assert [len(words[0][1]) for words in Bars(html).sentences] == [1, 3, 0, 0]


def test_gold_of_another_text_is_refused(nlp, doc):
    with pytest.raises(GapDNERError, match="other texts"):
        render(doc, gold=nlp("Another text."))


def test_sentences_that_an_entity_crosses_are_drawn_as_one(nlp):
    doc = nlp("Pain in the leg. And in the arm. Gone.")
    set_entities(doc, [Entity("ADE", ((0, 1), (8, 9)))])
    assert [len(words) for words in Bars(render(doc)).sentences] == [10, 2]


def test_a_long_sentence_is_cut_between_entities(nlp):
    doc = nlp(" ".join(["pain"] * 500))
    # over the 200th token, and far from any cut
    set_entities(doc, [Entity("ADE", ((150, 151), (250, 251))), Entity("ADE", ((420, 421),))])
    sentences = Bars(render(doc)).sentences
    assert [len(words) for words in sentences] == [400, 100]
    assert "".join(word for words in sentences for word, _ in words) == doc.text
    assert [len(words[0][1]) for words in sentences] == [1, 1]


def test_thousands_of_entities_without_a_sentence_end():
    doc = spacy.blank("en")(" ".join(["pain"] * 10_000))
    set_entities(doc, [Entity("ADE", ((n, n + 1),)) for n in range(0, 10_000, 2)])
    html = render(doc)
    # a bar under each word of a part: 100 rows, not 5,000
    assert html.count("<li ") == 5000
    assert html.count("<i ") < 10_000 * 101


def test_entities_that_would_make_a_page_too_large_are_listed_alone(nlp):
    doc = nlp(" ".join(["pain"] * 1000))
    set_entities(doc, [Entity("ADE", ((n, 1000),)) for n in range(300)])
    html = render(doc)
    assert "300 entities are too many to be drawn under 1000 words" in html
    assert html.count("<li ") == 300
    assert html.count('class="word"') == 1000
    assert len(html) < 3_000_000


def test_what_a_bar_says_is_short(nlp):
    doc = nlp(" ".join(["pain"] * 190))
    set_entities(doc, [Entity("A" * 100_000, ((0, 190),))])
    assert len(render(doc)) < 1_000_000


def test_right_to_left():
    doc = spacy.blank("ar")("ألم في الكتف")
    assert 'dir="rtl"' in render(doc)


def test_nothing_of_the_text_is_code(nlp):
    doc = nlp("<script>alert(1)</script> pain")
    set_entities(doc, [Entity("<b>", ((0, len(doc)),))])
    html = render(doc, page=True, title="<i>")
    assert "<script" not in html
    assert "<b><b>" not in html
    assert "<title>&lt;i&gt;</title>" in html


def test_a_page_refers_to_nothing_outside(doc):
    html = render(doc, page=True)
    assert html.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in html
    assert not re.search(r"https?:|src=|href=", html)


def test_empty_documents(nlp):
    assert Bars(render(nlp(""))).sentences == []
    assert Bars(render([])).sentences == []


def test_an_entity_shows_itself_under_its_sentence(doc):
    entity = get_entities(doc)[2]
    html = entity._repr_html_()
    (words,) = Bars(html).sentences
    assert "".join(word for word, _ in words) == "Brenorix gave severe joint and back pain. "
    assert [bars[0][0] for _, bars in words[2:7]] == ["fragment"] * 2 + ["gap"] * 2 + ["fragment"]
    assert re.findall("<b>(.+?)</b>", html) == ["ADE"]
