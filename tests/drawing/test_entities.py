from drawn import Drawn, labels, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner import Entity
from spacy_gapdner.drawing.entities import Bar, render_entities

WORDS = ["severe ", "joint ", "and ", "shoulder ", "pain"]
JOINT = Bar(Entity("ADE", ((0, 2), (4, 5))), "ADE 0.90", "severe joint … pain", "#d86000")
SHOULDER = Bar(Entity("ADE", ((3, 5),)), "gold ADE", "shoulder pain", "teal", is_thin=True)
SEVERE = Bar(Entity("MOD", ((0, 1),)), "MOD", "severe", "red")


def draw(words, bars):
    (sentence,) = Drawn(render_entities(words, bars)).sentences
    return sentence


def test_fragments_and_gaps_stand_under_their_words():
    none = ("", "", "")
    ours, theirs = "#d86000", "teal"
    assert draw(WORDS, [JOINT, SHOULDER]) == [
        ["severe ", [("fragment", ours, "ADE 0.90")]],
        ["joint ", [("fragment last", ours, "")]],
        ["and ", [("gap", ours, "")]],
        ["shoulder ", [("gap", ours, ""), ("fragment thin", theirs, "gold ADE")]],
        ["pain", [("fragment last", ours, ""), ("fragment last thin", theirs, "")]],
    ]
    assert draw(WORDS, [SHOULDER, JOINT])[0] == ["severe ", [none, ("fragment", ours, "ADE 0.90")]]


def test_entities_share_a_row_unless_they_overlap():
    assert rows(draw(WORDS, [SEVERE, SHOULDER])) == ["=  =="]
    assert rows(draw(WORDS, [JOINT, SEVERE, SHOULDER])) == ["==..=", "=  =="]


@settings(max_examples=50)
@given(st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=4), max_size=8))
def test_every_entity_is_drawn_whole_in_one_row(entities):
    bars = [
        Bar(Entity.from_tokens("A", tokens), "A", "", f"#{number:03}")
        for number, tokens in enumerate(entities)
    ]
    sentence = draw(["word "] * 10, bars)
    found = {}
    for i, (_, cells) in enumerate(sentence):
        for row, (kind, color, _) in enumerate(cells):
            if kind.startswith("fragment"):
                found.setdefault((color, row), set()).add(i)
    assert sorted((color, tokens) for (color, _), tokens in found.items()) == sorted(
        (bar.color, set(tokens)) for bar, tokens in zip(bars, entities, strict=True)
    )


def test_a_label_stands_under_a_word_that_is_long_enough():
    bar = Bar(Entity("Condition", ((0, 3),)), "Condition", "", "red")
    assert labels(draw(["of ", "severe ", "headaches"], [bar])) == [("severe", "Condition")]


def test_text_is_escaped():
    bar = Bar(Entity("<A>", ((0, 1),)), "<A>", '"<b>', "red")
    html = render_entities(["<script>", "&"], [bar])
    assert "<script>" not in html
    assert 'title="&lt;A&gt;: &#34;&lt;b&gt;"' in html
    assert [word for word, _ in draw(["<script>", "&"], [bar])] == ["<script>", "&"]


def test_entities_in_heaps_are_counted():
    html = render_entities(WORDS, [JOINT] * 45)
    assert "5 more entities" in html
    assert len(rows(Drawn(html).sentences[0])) == 40
