import re
from pathlib import Path

import pytest
from drawn import rows, sentences
from hypothesis import given
from hypothesis import strategies as st
from javascript import needs_node, run_tests

from spacy_gapdner import Entity
from spacy_gapdner.drawing.bars import Bar, render_entities

WORDS = ["severe ", "joint ", "and ", "shoulder ", "pain"]
JOINT = Bar(Entity("ADE", ((0, 2), (4, 5)), 0.9), "#d86000")
SHOULDER = Bar(Entity("ADE", ((3, 5),)), "teal", "gold", is_thin=True)
SEVERE = Bar(Entity("MOD", ((0, 1),)), "red")


def draw(words, bars):
    (sentence,) = sentences(render_entities(words, bars))
    return sentence


def test_fragments_and_gaps_are_below_their_words():
    ours, theirs = "#d86000", "teal"
    assert draw(WORDS, [JOINT, SHOULDER]) == [
        ["severe ", [("fragment", ours, "ADE 0.90")]],
        ["joint ", [("fragment last", ours, "")]],
        ["and ", [("gap", ours, "")]],
        ["shoulder ", [("gap", ours, ""), ("fragment thin", theirs, "gold ADE")]],
        ["pain", [("fragment last", ours, ""), ("fragment last thin", theirs, "")]],
    ]
    first_word = ["severe ", [("", "", ""), ("fragment", ours, "ADE 0.90")]]
    assert draw(WORDS, [SHOULDER, JOINT])[0] == first_word


def test_entities_share_a_row_unless_they_overlap():
    assert rows(draw(WORDS, [SEVERE, SHOULDER])) == ["=  =="]
    assert rows(draw(WORDS, [JOINT, SEVERE, SHOULDER])) == ["==..=", "=  =="]


@given(st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=4), max_size=8))
def test_every_entity_has_one_row(entities):
    bars = [Bar(Entity.from_tokens("A", e), str(number)) for number, e in enumerate(entities)]
    found = {}
    for i, (_, cells) in enumerate(draw(["word "] * 10, bars)):
        for row, (kind, color, _) in enumerate(cells):
            if kind.startswith("fragment"):
                found.setdefault((int(color), row), set()).add(i)
    drawn = [(number, words) for (number, _), words in sorted(found.items())]
    assert drawn == list(enumerate(entities))


@pytest.mark.parametrize(("n_letters", "expected"), [(7, ["= ="]), (6, ["=  ", "  ="])])
def test_labels_in_a_row_have_a_margin(n_letters, expected):
    bars = [Bar(Entity("Condition", ((start, start + 1),)), "red") for start in (0, 2)]
    words = ["of ", "x" * n_letters + " ", "pain"]
    assert rows(draw(words, bars)) == expected
    assert rows(draw(words, bars[::-1])) == expected[::-1]


def test_punctuation_stays_with_its_word():
    words = ["the ", "World ", "Health ", "(", "WHO", ") ", "said", ": "]
    html = render_entities(words, [Bar(Entity("A", ((2, 5),)), "red")])
    assert re.sub("<i .*?</i>", "", html) == (
        '<div class="entities" dir="ltr">the World <span class="word">Health </span>'
        '<span class="joined"><span class="word">(</span><span class="word">WHO</span>) </span>'
        "said: </div>\n"
    )
    # unless the text without spaces is long
    for n_letters, n_joined in ((37, 1), (38, 0)):
        html = render_entities(["(", "x" * n_letters, ") "], [Bar(Entity("A", ((0, 1),)), "red")])
        assert html.count("joined") == n_joined


def test_titles():
    html = render_entities(WORDS, [JOINT, JOINT._replace(mark="incorrect")])
    for title in ("ADE 0.90", "✗ incorrect ADE 0.90"):
        assert f'title="{title}: severe joint … pain"' in html


def test_hidden_entities_are_counted():
    html = render_entities(WORDS, [JOINT] * 45)
    assert "5 more overlapping entities" in html
    assert len(rows(sentences(html)[0])) == 40


@needs_node
def test_equal_labels():
    run_tests(Path(__file__).with_name("lines.test.mjs"))
