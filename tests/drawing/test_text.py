"""Entities drawn for a terminal, line by line as they are printed."""

import io
import sys

import pytest
import spacy

from spacy_gapdner import Entity, render, set_entities
from spacy_gapdner.drawing.text import TerminalEntity, render_text
from spacy_gapdner.formats import DOC_NAME

TEXT = "He had severe joint, shoulder and upper body pain and a headache."


def entity(text, label, *fragments):
    """An entity whose fragments are found in the text, one after the other."""
    found, place = [], 0
    for fragment in fragments:
        place = text.index(fragment, place)
        found.append((place, place + len(fragment)))
    return TerminalEntity(tuple(found), label)


ENTITIES = [
    entity(TEXT, "ADE 0.91", "severe joint", "pain"),
    entity(TEXT, "ADE", "severe", "shoulder", "pain"),
    entity(TEXT, "ADE 0.50", "severe", "upper body pain"),
    entity(TEXT, "Pain", "headache"),
]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            80,
            """\
He had severe joint, shoulder and upper body pain and a headache.
       ──────────── · · · · · · · · · · · ·  ──── ADE 0.91
       ────── · · ·  ──────── · · · · · · ·  ──── ADE   ──────── Pain
       ────── · · · · · · · · · · ─────────────── ADE 0.50
""",
        ),
        # "upper" has room, but the label after "headache" has not
        (
            41,
            """\
He had severe joint, shoulder and upper
       ──────────── · · · · · · · · ·
       ────── · · ·  ──────── · · · ·
       ────── · · · · · · · · · · ─────

body pain and a headache.
 · · ──── ADE 0.91
 · · ──── ADE   ──────── Pain
───────── ADE 0.50
""",
        ),
        (
            22,
            """\
He had severe joint,
       ────────────·
       ────── · · ·
       ────── · · ·

shoulder and upper
 · · · · · · · ·
──────── · · · ·
 · · · · · · ─────

body pain and a
 · · ──── ADE 0.91
 · · ──── ADE
───────── ADE 0.50

headache.
──────── Pain
""",
        ),
    ],
)
def test_lines_fit_the_width(width, expected):
    assert render_text(TEXT, ENTITIES, width=width) == expected


def test_wide_characters_count_two_columns():
    text = "患者有🙂严重的e\u0301关节疼痛。"
    drawing = render_text(text, [entity(text, "ADE", "严重", "疼痛")], width=40)
    assert drawing == f"{text}\n        ──── · · · ──── ADE\n"


def test_a_line_breaks_within_chinese_and_within_long_words():
    text = "关节疼痛" * 3
    assert render_text(text, [], width=20) == "关节疼痛关节疼痛关节\n疼痛\n"
    text = "x" * 50
    assert render_text(text, [TerminalEntity(((38, 50),), "X")], width=20) == (
        f"{'x' * 20}\n{'x' * 20}\n{' ' * 18}──\n\n{'x' * 10}\n{'─' * 10} X\n"
    )


def test_line_breaks_and_control_characters():
    text = "Pain\tin the\r\n\nleft \x1b[31marm."
    drawing = render_text(text, [entity(text, "A\x07", "Pain", "left \x1b[31marm")], width=40)
    assert drawing == ("Pain in the\n──── · · ·\n\nleft \\x1b[31marm.\n──────────────── A\\x07\n")


def test_an_entity_that_ends_with_a_line_break():
    text = "Pain\nleft"
    assert render_text(text, [entity(text, "A", "Pain\n")], width=40) == "Pain\n──── A\n\nleft\n"


def test_a_label_has_half_of_the_line():
    assert render_text("No pain", [entity("No pain", "Symptom" * 9, "pain")], width=20) == (
        "No pain\n   ──── SymptomSy…\n"
    )


@pytest.mark.parametrize(
    ("gap", "dots"),
    [("-", "."), ("  ", ".."), (" x ", " . "), (" xy ", " .  "), (" xyz ", " . . ")],
)
def test_ascii_where_the_encoding_requires_it(monkeypatch, gap, dots):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    text = f"é{gap}b"
    drawing = render_text(text, [entity(text, "ä", "é", "b")], width=40)
    assert drawing == f"\\xe9{gap}b\n----{dots}- \\xe4\n"


def test_colors_only_on_a_terminal(monkeypatch):
    drawn = [TerminalEntity(((0, 4),), "A", "#d86000"), TerminalEntity(((5, 9),), "B", "peachpuff")]
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in render_text("Pain here", drawn, width=40)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert render_text("Pain here", drawn, width=40) == (
        "Pain here\n\x1b[38;2;216;96;0m────\x1b[0m\x1b[38;2;216;96;0m A\x1b[0m\n     ──── B\n"
    )
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in render_text("Pain here", drawn, width=40)


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer")
    return nlp


def make_doc(nlp, text, name, *entities):
    doc = nlp(text)
    set_entities(doc, entities)
    doc.user_data[DOC_NAME] = name
    return doc


def test_documents(nlp):
    docs = [
        make_doc(
            nlp, "Joint and back pain. Gone. Fever.", "a", Entity("ADE", ((0, 1), (3, 4)), 0.5)
        ),
        make_doc(nlp, "", "b"),
        make_doc(nlp, "No.", "b"),
    ]
    assert (
        render(docs, style="text", width=40)
        == """\
a
Joint and back pain.
───── · · · ·  ──── ADE 0.50

Gone.
Fever.

b

No.
"""
    )
    assert render([], style="text") == ""


def test_differences_from_gold(nlp):
    both, gold_only, found_only = (
        Entity(label, ((i, i + 1),), score)
        for label, i, score in (("A", 0, 0.9), ("B", 1, None), ("B", 2, 0.4))
    )
    gold = make_doc(nlp, "One two three", None, both, gold_only)
    doc = make_doc(nlp, "One two three", None, both, found_only)
    assert (
        render(doc, gold=gold, style="text", width=40)
        == """\
One two three
─── A 0.90
    ─── - B
        ───── + B 0.40
"""
    )
