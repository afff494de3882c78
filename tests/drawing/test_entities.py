import re
from html.parser import HTMLParser

from spacy_gapdner import Entity
from spacy_gapdner.drawing.entities import ENTITIES_CSS, EntityRow, render_entities

WORDS = ["severe ", "joint ", "and ", "shoulder ", "pain"]
JOINT = EntityRow("gold", Entity("ADE", ((0, 2), (4, 5))), "severe joint … pain")
SHOULDER = EntityRow("predicted", Entity("ADE", ((3, 5),)), "shoulder pain", is_faint=True)


class Columns(HTMLParser):
    """The words, each with the classes of the cells under it."""

    def __init__(self):
        super().__init__()
        self.columns, self.in_word = [], False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "span" and attrs.get("class") == "word":
            self.columns.append(["", []])
            self.in_word = True
        elif tag == "i" and self.in_word:
            self.columns[-1][1].append(attrs["class"])

    def handle_endtag(self, tag):
        self.in_word = self.in_word and tag != "span"

    def handle_data(self, data):
        if self.in_word:
            self.columns[-1][0] += data


def columns(html):
    parser = Columns()
    parser.feed(html)
    return [(word.strip(), cells) for word, cells in parser.columns]


def test_fragments_and_gaps_stand_under_their_words():
    assert columns(render_entities(WORDS, [JOINT, SHOULDER])) == [
        ("severe", ["fragment gold", ""]),
        ("joint", ["fragment gold last", ""]),
        ("and", ["gap gold", ""]),
        ("shoulder", ["gap gold", "fragment predicted faint"]),
        ("pain", ["fragment gold last", "fragment predicted faint last"]),
    ]


def test_entities_are_listed():
    html = " ".join(render_entities(WORDS, [JOINT, SHOULDER]).split())
    assert re.findall(r"<b>(.+?)</b> <span>(.+?)</span>", html) == [
        ("gold ADE", "severe joint … pain"),
        ("predicted ADE", "shoulder pain"),
    ]


def test_text_is_escaped():
    row = EntityRow("gold", Entity("<A>", ((0, 1),)), "<b> & c")
    html = render_entities(["<script>", "&"], [row])
    assert "<script>" not in html
    assert "<b>gold &lt;A&gt;</b> <span>&lt;b&gt; &amp; c</span>" in html
    assert [word for word, _ in columns(html)] == ["<script>", "&"]


def test_words_without_entities():
    assert columns(render_entities(WORDS, [])) == [(word.strip(), []) for word in WORDS]


def test_every_role_has_a_colour():
    for role in ("gold", "predicted", "correct"):
        assert re.search(rf"\.{role} {{ color: #[0-9a-f]{{6}}; }}", ENTITIES_CSS)
