import re

import pytest
from drawn import Drawn, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner import Entity
from spacy_gapdner.drawing.bars import Bar, render_entities

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
        ["severe ", [("fragment", ours, "ADE 0.90")]],
        ["joint ", [("fragment last", ours, "")]],
        ["and ", [("gap", ours, "")]],
        ["shoulder ", [("gap", ours, ""), ("fragment thin", theirs, "gold ADE")]],
        ["pain", [("fragment last", ours, ""), ("fragment last thin", theirs, "")]],
    ]
    assert draw(WORDS, [SHOULDER, JOINT])[0] == [
        "severe ",
        [none, ("fragment", ours, "ADE 0.90")],
    ]


def test_entities_share_a_row_unless_they_overlap():
    assert rows(draw(WORDS, [SEVERE, SHOULDER])) == ["=  =="]
    assert rows(draw(WORDS, [JOINT, SEVERE, SHOULDER])) == ["==..=", "=  =="]


@settings(max_examples=50)
@given(st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=4), max_size=8))
def test_every_entity_is_drawn_whole_in_one_row(entities):
    bars = [Bar(Entity.from_tokens("A", e), "", str(number)) for number, e in enumerate(entities)]
    found = {}
    for i, (_, cells) in enumerate(draw(["word "] * 10, bars)):
        for row, (kind, color, _) in enumerate(cells):
            if kind.startswith("fragment"):
                found.setdefault((int(color), row), set()).add(i)
    # each in one row alone
    assert [(number, found[number, row]) for number, row in sorted(found)] == list(
        enumerate(entities)
    )


@pytest.mark.parametrize(("n_letters", "expected"), [(7, ["= ="]), (6, ["=  ", "  ="])])
def test_the_next_entity_of_a_row_begins_two_characters_behind_a_label(n_letters, expected):
    bars = [Bar(Entity("Condition", ((start, start + 1),)), "", "red") for start in (0, 2)]
    assert rows(draw(["of ", "x" * n_letters + " ", "pain"], bars)) == expected
    # in whatever order they come
    assert rows(draw(["of ", "x" * n_letters + " ", "pain"], bars[::-1])) == expected[::-1]


def test_signs_stay_at_their_words():
    words = ["the ", "World ", "Health ", "(", "WHO", ") ", "said", ": "]
    html = render_entities(words, [Bar(Entity("A", ((2, 5),)), "", "red")])
    assert re.sub("<i .*?</i>", "", html) == (
        '<div class="entities" dir="ltr">the World <span class="word">Health </span>'
        '<span class="joined"><span class="word">(</span><span class="word">WHO</span>) </span>'
        "said: </div>\n"
    )


@pytest.mark.parametrize(("n_letters", "n_joined"), [(37, 1), (38, 0)])
def test_text_without_spaces_is_not_kept_whole(n_letters, n_joined):
    bars = [Bar(Entity("A", ((0, 1),)), "", "red")]
    assert render_entities(["(", "x" * n_letters, ") "], bars).count("joined") == n_joined


@pytest.mark.parametrize(
    ("mark", "title"),
    [
        ("", "ADE 0.90: pain"),
        ("correct", "correct: ✓ ADE 0.90: pain"),
        ("incorrect", "✗ incorrect ADE 0.90: pain"),
        ("gold", "gold ADE 0.90: pain"),
    ],
)
def test_marks_are_signs_and_words(mark, title):
    assert Bar(Entity("ADE", ((0, 1),), 0.9), "pain", "red", mark).title == title


def test_text_is_escaped():
    bar = Bar(Entity("<A>", ((0, 1),)), '"<b>', "red")
    html = render_entities(["<script>", "&"], [bar])
    assert "<script>" not in html
    assert 'title="&lt;A&gt;: &#34;&lt;b&gt;"' in html
    assert [word for word, _ in draw(["<script>", "&"], [bar])] == ["<script>", "&"]


def test_entities_in_heaps_are_counted():
    html = render_entities(WORDS, [JOINT] * 45)
    assert "5 more overlapping entities" in html
    assert len(rows(Drawn(html).sentences[0])) == 40
