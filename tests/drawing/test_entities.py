import pytest
from drawn import Drawn, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner import Entity
from spacy_gapdner.drawing.entities import Bar, render_entities

WORDS = ["severe ", "joint ", "and ", "shoulder ", "pain"]
JOINT = Bar(Entity("ADE", ((0, 2), (4, 5)), 0.9), "severe joint … pain", "#d86000")
SHOULDER = Bar(Entity("ADE", ((3, 5),)), "shoulder pain", "teal", "gold", is_thin=True)
SEVERE = Bar(Entity("MOD", ((0, 1),)), "severe", "red")


def draw(words, bars):
    (sentence,) = Drawn(render_entities(words, bars)).sentences
    return sentence


def test_fragments_and_gaps_stand_under_their_words():
    none = ("", "", "")
    ours, theirs = "#d86000", "teal"
    assert draw(WORDS, [JOINT, SHOULDER]) == [
        ["severe ", [("fragment free", ours, "ADE 0.90")]],
        ["joint ", [("fragment last", ours, "")]],
        ["and ", [("gap", ours, "")]],
        ["shoulder ", [("gap", ours, ""), ("fragment thin free", theirs, "gold ADE")]],
        ["pain", [("fragment last", ours, ""), ("fragment last thin", theirs, "")]],
    ]
    assert draw(WORDS, [SHOULDER, JOINT])[0] == [
        "severe ",
        [none, ("fragment free", ours, "ADE 0.90")],
    ]


def test_entities_share_a_row_unless_they_overlap():
    assert rows(draw(WORDS, [SEVERE, SHOULDER])) == ["=  =="]
    assert rows(draw(WORDS, [JOINT, SEVERE, SHOULDER])) == ["==..=", "=  =="]


@settings(max_examples=50)
@given(st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=4), max_size=8))
def test_every_entity_is_drawn_whole_in_one_row(entities):
    bars = [
        Bar(Entity.from_tokens("A", tokens), "", f"#{number:03}")
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


def test_a_long_label_lies_under_the_next_words_if_these_are_free():
    bars = [Bar(Entity("Condition", ((start, start + 1),)), "", "red") for start in (0, 2)]
    words = ["of ", "a ", "mild ", "headache"]
    # the first has room for 4 letters until the second begins
    kinds = [cells[0][0] for _, cells in draw(words, bars) if cells]
    assert kinds == ["fragment last", "fragment last free"]
    assert draw(words, bars[:1])[0][1][0][0] == "fragment last free"


@pytest.mark.parametrize(
    ("mark", "label", "title"),
    [
        ("", "ADE 0.90", "ADE 0.90: pain"),
        ("right", "✓ ADE 0.90", "right: ✓ ADE 0.90: pain"),
        ("wrong", "✗ wrong ADE 0.90", "✗ wrong ADE 0.90: pain"),
        ("gold", "gold ADE 0.90", "gold ADE 0.90: pain"),
    ],
)
def test_marks_are_signs_and_words(mark, label, title):
    bar = Bar(Entity("ADE", ((0, 1),), 0.9), "pain", "red", mark)
    assert (bar.label, bar.title) == (label, title)


def test_text_is_escaped():
    bar = Bar(Entity("<A>", ((0, 1),)), '"<b>', "red")
    html = render_entities(["<script>", "&"], [bar])
    assert "<script>" not in html
    assert 'title="&lt;A&gt;: &#34;&lt;b&gt;"' in html
    assert [word for word, _ in draw(["<script>", "&"], [bar])] == ["<script>", "&"]


def test_entities_in_heaps_are_counted():
    html = render_entities(WORDS, [JOINT] * 45)
    assert "5 more entities" in html
    assert len(rows(Drawn(html).sentences[0])) == 40
