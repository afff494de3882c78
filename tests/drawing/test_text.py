"""Entities drawn for a terminal, line by line as they are printed."""

import sys

import pytest
from drawn import make_doc

from spacy_gapdner import Entity, render
from spacy_gapdner.drawing.bars import Bar
from spacy_gapdner.drawing.text import render_text

TEXT = "He had severe joint, shoulder and upper body pain and a headache."


def bar(text, label, *fragments, score=None):
    """An entity whose fragments are found in the text, one after the other."""
    found, place = [], 0
    for fragment in fragments:
        place = text.index(fragment, place)
        found.append((place, place + len(fragment)))
    return Bar(Entity(label, tuple(found), score))


BARS = [
    bar(TEXT, "ADE", "severe joint", "pain", score=0.91),
    bar(TEXT, "ADE", "severe", "shoulder", "pain"),
    bar(TEXT, "ADE", "severe", "upper body pain", score=0.5),
    bar(TEXT, "Pain", "headache"),
]


WIDE = """\
He had severe joint, shoulder and upper body pain and a headache.
       ──────────── · · · · · · · · · · · ·  ──── ADE 0.91
       ────── · · ·  ──────── · · · · · · ·  ──── ADE   ──────── Pain
       ────── · · · · · · · · · · ─────────────── ADE 0.50
"""
# "upper" fits, but the label after "headache" does not
NARROW = """\
He had severe joint, shoulder and upper
       ──────────── · · · · · · · · ·
       ────── · · ·  ──────── · · · ·
       ────── · · · · · · · · · · ─────

body pain and a headache.
 · · ──── ADE 0.91
 · · ──── ADE   ──────── Pain
───────── ADE 0.50
"""


def test_lines_fit_the_width():
    assert render_text(TEXT, BARS, width=80) == WIDE
    assert render_text(TEXT, BARS, width=41) == NARROW


def test_wide_characters_and_long_words():
    # wide characters use two columns
    text = "患者有🙂严重的e\u0301关节疼痛。"
    drawing = render_text(text, [bar(text, "ADE", "严重", "疼痛")], width=40)
    assert drawing == f"{text}\n        ──── · · · ──── ADE\n"
    # lines break within them, and within words that are longer than a line
    text = "关节疼痛" * 3
    assert render_text(text, [], width=20) == "关节疼痛关节疼痛关节\n疼痛\n"
    drawing = render_text("x" * 30, [Bar(Entity("X", ((18, 30),)))], width=20)
    assert drawing == f"{'x' * 20}\n{' ' * 18}──\n\n{'x' * 10}\n{'─' * 10} X\n"


def test_line_breaks_and_labels():
    text = "Pain\tin the\r\n\nleft \x1b[31marm."
    drawing = render_text(text, [bar(text, "A\x07", "Pain", "left \x1b[31marm")], width=24)
    lines = ["Pain in the", "──── · · ·", "", "left \\x1b[31marm.", "──────────────── A\\x07", ""]
    assert drawing.split("\n") == lines
    # a label can take up half of the line
    drawing = render_text("No pain", [bar("No pain", "Symptom" * 9, "pain")], width=24)
    assert drawing == "No pain\n   ──── SymptomSymp…\n"


def test_colors_only_on_a_terminal(monkeypatch):
    colors = {"#d86000": (0, 4), "peachpuff": (5, 9)}
    bars = [Bar(Entity("A", (fragment,)), color) for color, fragment in colors.items()]
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in render_text("Pain here", bars, width=40)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = render_text("Pain here", bars, width=40).split("\n")
    colored = "\x1b[38;2;216;96;0m────\x1b[0m\x1b[38;2;216;96;0m A\x1b[0m"
    assert lines == ["Pain here", colored, "     ──── A", ""]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in render_text("Pain here", bars, width=40)


def test_documents():
    joint_pain = Entity("ADE", ((0, 1), (3, 4)), 0.5)
    docs = [make_doc("Joint and back pain. Gone.", [joint_pain], "a")]
    docs += [make_doc(text, name="b") for text in ("", "No.")]
    expected = """\
a
Joint and back pain.
───── · · · ·  ──── ADE 0.50

Gone.

b

No.
"""
    assert render(docs, style="text", width=40) == expected
    assert render([], style="text") == ""


@pytest.mark.parametrize(
    ("gap", "dots"),
    [("-", "·"), ("  ", "··"), (" x ", " · "), (" xy ", " ·  "), (" xyz ", " · · ")],
)
def test_dots_of_gaps(gap, dots):
    text = f"a{gap}b"
    assert render_text(text, [bar(text, "A", "a", "b")], width=40) == f"{text}\n─{dots}─ A\n"
