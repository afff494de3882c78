import numpy as np
import pytest
import spacy
from matplotlib.patches import Rectangle
from spacy.tokens import Doc

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.drawing.attention import (
    AttentionReport,
    CellLabel,
    SegmentAttention,
    draw_report,
    label_cells,
)
from spacy_gapdner.drawing.attention_plots import plot_cell, plot_labels
from spacy_gapdner.model.attention_maps import AttentionMaps
from spacy_gapdner.segments import Segment
from spacy_gapdner.tagging import GridLayout, MultilabelTagging, SoftmaxTagging
from spacy_gapdner.tagging.cells import LabelledCells

WORDS = ["severe", "joint", "and", "arm", "pain"]
FRAG, GAP = CellLabel(0, "Frag", "F", 0.9), CellLabel(1, "Gap", "G", 0.8)
LABELS = {
    (0, 1): [FRAG],
    (2, 3): [GAP],
    (4, 4): [FRAG, CellLabel(2, "ADE", "T", 0.625)],
}


def make_segment(words=WORDS, start=10, cells=((0, 1),), labels=LABELS, linear=True, cross=True):
    """All weights differ: cell (i, j) gives its row 1, 2, 3, ... parts, and then its column."""
    n = len(words)
    parts = np.tile(np.arange(1.0, 2 * n + 1), (n, n, 1))
    i, j = np.indices((n, n))
    parts[i, j, n + i] = 0
    maps = AttentionMaps(
        Segment(start, start + n),
        tuple(words),
        np.zeros((n, n, 3)),
        np.log([np.arange(1.0, n + 1), np.ones(n)]) if linear else None,
        parts / parts.sum(axis=-1, keepdims=True) if cross else None,
    )
    return SegmentAttention(maps, labels, cells)


def make_report(*segments, text=" ".join(WORDS)):
    doc = Doc(spacy.blank("en").vocab, words=text.split(" "))
    set_entities(doc, [Entity("ADE", ((0, 2), (4, 5)), 0.875), Entity("SIGN", ((3, 5),))])
    return AttentionReport(doc, get_entities(doc), segments)


def labelled(*cells):
    return LabelledCells(np.array(cells), np.array([0.5 + 0.125 * i for i in range(len(cells))]))


def squares(axes):
    """The weights that a map shows, by (row, column)."""
    (collection,) = (c for c in axes.collections if c.get_array() is not None)
    corners = [path.vertices[0] for path in collection.get_paths()]
    cells = [(round(y + 0.5), round(x + 0.5)) for x, y in corners]
    return dict(zip(cells, collection.get_array().tolist(), strict=True))


def test_labels_have_names():
    layout = SoftmaxTagging().layout(2)
    cells = labelled((0, 1, 1), (1, 2, 2), (3, 0, 4), (3, 3, 3), (3, 3, 1))
    assert label_cells(cells, layout, ["ADE", "DRUG"]) == {
        (0, 1): [(1, "Frag", "F", 0.5)],
        (1, 2): [(2, "Gap", "G", 0.625)],
        (3, 0): [(4, "DRUG", "T", 0.75)],
        (3, 3): [(3, "ADE", "T", 0.875), (1, "Frag", "F", 1.0)],
    }


def test_labels_of_each_type_have_names():
    layout = MultilabelTagging(per_type=True).layout(2)
    found = label_cells(labelled((0, 0, 1), (0, 1, 2), (1, 0, 5)), layout, ["ADE", "DRUG"])
    assert found == {
        (0, 0): [(1, "Frag DRUG", "F", 0.5)],
        (0, 1): [(2, "Gap ADE", "G", 0.625)],
        (1, 0): [(5, "DRUG", "T", 0.75)],
    }


def test_labels_of_other_schemes_have_numbers():
    layout = GridLayout(2, (0,), (0,), (1,))
    assert label_cells(labelled((1, 0, 1)), layout, ["X"]) == {(1, 0): [(1, "label 1", "*", 0.5)]}


def test_cells_are_named_in_the_offsets_of_the_text():
    segment = make_segment()
    assert segment.title(1, 3) == "Cell (11, 13): joint and arm"
    assert segment.title(3, 1) == "Cell (13, 11): joint and arm"
    assert (segment.name(3, 1), segment.labels_name) == ("cell_13-11", "labels_10-15")
    assert segment.label_text(4, 4) == "Frag 0.90, ADE 0.62"
    assert segment.label_text(0, 0) == ""
    assert segment.token(4) == "pain 14"


def test_long_spans_and_white_space():
    segment = make_segment(["a", "\n\n", "b", "c", "d", "e", "f"], start=0)
    assert segment.span_text(0, 3) == "a b c"
    assert segment.span_text(6, 0) == "a b … d e f"
    assert segment.token(1) == "␣ 1"


def test_tables():
    segment = make_segment()
    # 1 + 2 + 3 parts, and an even share below the diagonal
    assert segment.token_rows(0, 2) == [
        ("severe 10", "0.167"),
        ("joint 11", "0.333"),
        ("and 12", "0.500"),
    ]
    assert segment.token_rows(1, 0) == [("severe 10", "0.500"), ("joint 11", "0.500")]
    # the column has 6 to 10 parts, but the cell itself 2 as part of its row: 49 in all
    assert segment.top_rows(0, 1, 3) == [
        ("joint and arm pain", "14, 11", "", "0.204"),
        ("joint and arm", "13, 11", "", "0.184"),
        ("joint and", "12, 11", "", "0.163"),
    ]
    (itself,) = [row for row in segment.top_rows(0, 1, 9) if "itself" in row[0]]
    assert itself == ("severe joint (itself)", "10, 11", "Frag 0.90", "0.041")
    assert len(segment.top_rows(0, 1, 99)) == 9


def test_tables_of_what_is_switched_off():
    assert make_segment(linear=False).token_rows(0, 1) == []
    assert make_segment(cross=False).top_rows(0, 1) == []


def test_entities_and_notes():
    report = make_report(make_segment())
    assert report.entity_rows() == [
        ("ADE", "severe joint pain", "0:2, 4:5", "0.88"),
        ("SIGN", "arm pain", "3:5", ""),
    ]
    assert report.notes() == []
    (note,) = make_report(make_segment(linear=False)).notes()
    assert "no linear attention" in note
    (note,) = make_report(make_segment(cross=False)).notes()
    assert "no criss-cross attention" in note


def test_plot_of_a_cell():
    bars, cross, scale = plot_cell(make_segment(), 3, 1).axes
    assert [bar.get_width() for bar in bars.patches] == pytest.approx([1 / 3] * 3)
    assert [t.get_text() for t in bars.get_yticklabels()] == ["joint 11", "and 12", "arm 13"]
    # the column holds 6 to 10 parts but none for the cell itself, its row 1 to 5: 46 in all
    weights = {(3, j): j + 1 for j in range(5)} | {(i, 1): i + 6 for i in (0, 1, 2, 4)}
    assert squares(cross) == pytest.approx({cell: w / 46 for cell, w in weights.items()})
    (target,) = (p for p in cross.patches if isinstance(p, Rectangle))
    assert target.get_xy() == (0.5, 2.5)
    names = [f"{word} {i}" for i, word in enumerate(WORDS, 10)]
    assert [t.get_text() for t in cross.get_xticklabels()] == names
    assert [t.get_text() for t in cross.get_yticklabels()] == names
    # rows go down
    assert cross.get_ylim() == (4.5, -0.5)
    assert cross.get_title(loc="left") == "Criss-cross attention of (13, 11)"
    assert scale.get_ylabel() == "criss-cross attention weight"
    marks = {t.get_position(): t.get_text() for t in cross.texts}
    assert marks == {(1, 0): "F", (3, 2): "G", (4, 4): "FT"}


@pytest.mark.parametrize(("off", "n_axes"), [("linear", 2), ("cross", 1)])
def test_what_is_switched_off_is_left_out(off, n_axes):
    axes = plot_cell(make_segment(**{off: False}), 0, 1).axes
    assert len(axes) == n_axes
    title = axes[0].get_title(loc="left")
    assert title.startswith("Criss-cross" if off == "linear" else "Linear")


def test_long_sentences_are_shown_around_the_span():
    segment = make_segment([f"w{i}" for i in range(100)], start=0, labels={})
    _, cross, _ = plot_cell(segment, 60, 61).axes
    shown = squares(cross)
    # 80 tokens; the span has 39 before it and 39 behind, but the text ends 38 behind it
    rows, columns = zip(*shown, strict=True)
    assert (min(rows), max(rows), min(columns), max(columns)) == (20, 99, 20, 99)
    assert len(shown) == 2 * 80 - 1
    outside = 1 - sum(shown.values())
    assert outside > 0.1
    assert cross.get_xlabel() == f"Tokens 20 to 99; a weight of {outside:.2f} lies outside"
    # a longer span is shown whole
    _, cross, _ = plot_cell(segment, 5, 94).axes
    assert [t.get_text() for t in cross.get_xticklabels()] == [f"w{i} {i}" for i in range(5, 95)]


def test_plot_of_labels():
    (axes,) = plot_labels(make_segment()).axes
    found = {(p.get_x(), p.get_y(), p.get_width()): p.get_facecolor() for p in axes.patches}
    frag, gap = found[0.5, -0.5, 1], found[2.5, 1.5, 1]
    # a cell of two labels is divided
    assert found.keys() == {
        (0.5, -0.5, 1),
        (2.5, 1.5, 1),
        (3.5, 3.5, 0.5),
        (4.0, 3.5, 0.5),
    }
    assert found[3.5, 3.5, 0.5] == frag
    assert len({frag, gap, found[4.0, 3.5, 0.5]}) == 3
    (legend,) = axes.figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["Frag", "Gap", "ADE"]


def test_labels_beyond_the_colours_differ():
    labels = {(i, i): [CellLabel(i, f"type {i}", "T", 1.0)] for i in range(20)}
    (axes,) = plot_labels(make_segment([str(i) for i in range(20)], labels=labels)).axes
    assert len({(p.get_facecolor(), p.get_hatch()) for p in axes.patches}) == 20


def test_no_labels():
    figure = plot_labels(make_segment(labels={}))
    assert not figure.legends
    assert not figure.axes[0].patches


def test_report():
    first = make_segment(start=0, cells=[(0, 1), (4, 0)])
    page, plots = draw_report(make_report(first, make_segment(start=5)), ("png", "svg"))
    names = ["labels_0-5", "cell_0-1", "cell_4-0", "labels_5-10", "cell_5-6"]
    assert list(plots) == [f"{name}.{format}" for name in names for format in ("png", "svg")]
    for name, content in plots.items():
        assert content.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    for text in ["severe joint and arm pain", "<td>0:2, 4:5</td>", "Labelled Frag 0.90"]:
        assert text in page
    for title in ["Tokens 0 to 4", "Cell (4, 0): severe joint and arm pain", "Cell (5, 6)"]:
        assert title in page
    assert page.count("<svg") == 5
    assert page.count("Most attended cells") == 3
    assert not any(word in page for word in ("<script", "<link", "src=", "switched off"))


def test_report_of_what_is_switched_off():
    segment = make_segment(cross=False)
    page, plots = draw_report(make_report(segment), ("svg",))
    assert list(plots) == ["labels_10-15.svg", "cell_10-11.svg"]
    assert "no criss-cross attention: it is switched off" in page
    assert "Most attended" not in page


def test_any_token_can_be_drawn():
    words = ["<b>", "$x^$", "\n", "&amp;", "_", "x" * 60]
    segment = make_segment(words, start=0, cells=[(0, 5)], labels={})
    page, plots = draw_report(make_report(segment, text="<b> $x^$ a b c"), ("svg",))
    assert "&lt;b&gt; $x^$ a b c" in page
    assert "<b>" not in page
    svg = plots["cell_0-5.svg"].decode()
    for name in ("&lt;b&gt; 0", "$x^$ 1", "␣ 2", "&amp;amp; 3", "x" * 17 + "… 5"):
        assert svg.count(f">{name}<") == 3


def test_the_same_report_gives_the_same_files():
    assert draw_report(make_report(make_segment()), ("png", "svg")) == draw_report(
        make_report(make_segment()), ("png", "svg")
    )
