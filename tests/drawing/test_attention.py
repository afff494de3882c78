import numpy as np
import pytest
from attention_reports import WORDS, make_report, make_segment
from matplotlib.patches import Rectangle

from spacy_gapdner.drawing.attention import draw_report, plot_cell, plot_labels


def squares(axes):
    """The weights that a map shows, by (row, column)."""
    (mesh,) = (c for c in axes.collections if c.get_array() is not None)
    columns, rows = np.round(mesh.get_coordinates()[:-1, :-1] + 0.5).astype(int).transpose(2, 0, 1)
    weights = mesh.get_array().reshape(rows.shape)
    return {
        (int(i), int(j)): float(weight)
        for i, j, weight in zip(rows.flat, columns.flat, weights.flat, strict=True)
        if weight is not np.ma.masked
    }


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
    assert found.keys() == {(0.5, -0.5, 1), (2.5, 1.5, 1), (3.5, 3.5, 0.5), (4.0, 3.5, 0.5)}
    assert found[3.5, 3.5, 0.5] == frag
    assert len({frag, gap, found[4.0, 3.5, 0.5]}) == 3
    # neighbors of one label are cells apart
    assert {p.get_edgecolor() for p in axes.patches} == {(1, 1, 1, 1)}
    (legend,) = axes.figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["Frag", "Gap", "ADE"]


def test_report():
    first = make_segment(start=0, cells=[(0, 1), (4, 0)])
    page, plots = draw_report(make_report(first, make_segment(start=5)), ("png", "svg"))
    names = ["labels_0-5", "cell_0-1", "cell_4-0", "labels_5-10", "cell_5-6"]
    assert list(plots) == [f"{name}.{format}" for name in names for format in ("png", "svg")]
    for name, content in plots.items():
        assert content.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    for text in [
        '<span class="word">severe <i class="fragment"',
        '<td class="text">0:2, 4:5</td>',
        "Labeled Frag 0.90",
        "Frag and Gap mark the span from row to column",
        "(F: Frag, G: Gap, T: an entity type)",
        "Tokens 0 to 4",
        "Cell (4, 0): severe joint and arm pain",
        "Cell (5, 6)",
    ]:
        assert text in page
    assert page.count("<svg") == 5
    assert page.count("Most attended cells") == 3
    assert not any(word in page for word in ("<link", "src=", "switched off"))


def test_any_token_can_be_drawn():
    words = ["<b>", "$x^$", "\n", "&amp;", "_", "x" * 60]
    segment = make_segment(words, start=0, cells=[(0, 5)], labels={})
    page, plots = draw_report(make_report(segment, text="<b> $x^$ a b c"), ("svg",))
    assert '<span class="word">&lt;b&gt; <i' in page
    assert "<b>" not in page
    svg = plots["cell_0-5.svg"].decode()
    for name in ("&lt;b&gt; 0", "$x^$ 1", "␣ 2", "&amp;amp; 3", "x" * 17 + "… 5"):
        assert svg.count(f">{name}<") == 3


def test_the_same_report_gives_the_same_files():
    first, second = (draw_report(make_report(make_segment()), ("png", "svg")) for _ in range(2))
    assert first == second
