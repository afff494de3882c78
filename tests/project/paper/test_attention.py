"""The command ``python -m project.paper.attention`` and what it shows."""

import re

import numpy as np
import pytest
import spacy
import torch
from matplotlib.patches import Rectangle
from spacy.tokens import Doc
from thinc.api import Model
from tiny_pipeline import ANNOTATED, make_nlp, trained_pipeline
from typer.testing import CliRunner

from project.paper.attention import app
from project.paper.attention_cells import choose_cells, find_segment
from project.paper.attention_maps import (
    AttentionReport,
    CellLabel,
    SegmentAttention,
    find_network,
    record_attention,
)
from project.paper.attention_page import draw_report, plot_cell, plot_labels
from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.segments import Segment

JOINT, ASPIRIN = ANNOTATED[0][0], ANNOTATED[1][0]
# of both entities of JOINT: fragments, gaps and the type, which they share
CELLS = [(0, 0), (1, 2), (3, 4), (4, 0), (0, 1), (2, 3), (4, 4)]
WORDS = ["severe", "joint", "and", "arm", "pain"]
FRAG = CellLabel("Frag", False, 0.9)
LABELS = {
    (0, 1): [FRAG],
    (2, 3): [CellLabel("Gap", False, 0.8)],
    (4, 4): [FRAG, CellLabel("ADE", True, 0.625)],
}


@pytest.fixture(scope="module")
def nlp():
    return trained_pipeline()


def make_segment(words=WORDS, start=10, cells=((0, 1),), labels=LABELS, linear=True, cross=True):
    """All weights differ: cell (i, j) gives its row 1, 2, 3, ... parts, and then its column."""
    n = len(words)
    parts = np.tile(np.arange(1.0, 2 * n + 1), (n, n, 1))
    i, j = np.indices((n, n))
    parts[i, j, n + i] = 0
    span = np.tile(np.arange(1.0, n + 1), (n, n, 1)) if linear else None
    weights = parts / parts.sum(axis=-1, keepdims=True) if cross else None
    return SegmentAttention(Segment(start, start + n), words, labels, span, weights, list(cells))


def make_report(*segments, text=" ".join(WORDS)):
    doc = Doc(spacy.blank("en").vocab, words=text.split(" "))
    set_entities(doc, [Entity("ADE", ((0, 2), (4, 5)), 0.875), Entity("SIGN", ((3, 5),))])
    return AttentionReport(doc, "gapdner", list(segments), "What labels mean.")


def addresses(report):
    return [segment.address(*cell) for segment in report.segments for cell in segment.cells]


def test_cells_of_the_entities_found(nlp):
    report = record_attention(nlp, JOINT)
    assert [e.text for e in report.entities] == ["Severe joint pain", "Severe shoulder pain"]
    assert sorted(addresses(report)) == sorted(CELLS)
    (segment,) = report.segments
    names = {cell: label.name for cell, (label,) in segment.labels.items()}
    assert names == dict.fromkeys(CELLS, "Frag") | {(1, 2): "Gap", (2, 3): "Gap", (4, 0): "ADR"}
    network = find_network(nlp.get_pipe("gapdner").model)
    assert not any(module._forward_pre_hooks for module in network.modules())


def test_chosen_cells_by_sentence(nlp):
    report = record_attention(
        nlp, f"{ASPIRIN} {JOINT}", spans=["joint and", "2:3"], cells=["9,6", "5,9"]
    )
    # the second sentence begins at token 5
    assert [tuple(segment.segment) for segment in report.segments] == [(0, 5), (5, 12)]
    assert addresses(report) == [(2, 2), (6, 7), (9, 6), (5, 9)]


@torch.no_grad()
def test_weights_are_those_of_the_equations(nlp):
    text = f"{ASPIRIN} {JOINT}"
    pipe = nlp.get_pipe("gapdner")
    network, features = find_network(pipe.model), []
    hook = network.activation.register_forward_hook(lambda *args: features.append(args[-1]))
    report = record_attention(nlp, text, cells=["0,0", "5,5"])
    vectors = pipe.model.get_ref("tok2vec").predict([report.doc])[0]
    part = network.criss_cross
    for segment in report.segments:
        start, end = segment.segment
        n = end - start
        hidden = network.encode(torch.from_numpy(vectors[start:end])[None], torch.tensor([n]))
        network.map_grid(hidden)
        grid = features[-1].view(n, n, -1)
        for i, j in np.ndindex(n, n):
            layer = network.span_attention.upper if i <= j else network.span_attention.lower
            spans = layer(hidden[0, min(i, j) : max(i, j) + 1]).softmax(dim=0)[:, 0]
            np.testing.assert_allclose(segment.span_weights(i, j), spans, rtol=0, atol=1e-5)
            cells = [*((i, k) for k in range(n)), *((k, j) for k in range(n) if k != i)]
            keys = torch.stack([part.key(grid[cell]) for cell in cells])
            expected = np.full((n, n), np.nan)
            scores = keys @ part.query(grid[i, j]) * part.scale
            expected[tuple(zip(*cells, strict=True))] = scores.softmax(dim=0)
            np.testing.assert_allclose(segment.cell_weights(i, j), expected, rtol=0, atol=1e-5)
    hook.remove()


@pytest.mark.parametrize("part", ["linear_attention", "criss_cross"])
def test_an_attention_that_is_switched_off(part):
    (segment,) = record_attention(make_nlp({part: False}), JOINT, cells=["0,1"]).segments
    assert (segment.span is None) == (part == "linear_attention")
    assert (segment.cross is None) == (part == "criss_cross")


def test_networks_without_attention():
    with pytest.raises(GapDNERError, match="Only the architecture"):
        find_network(Model("other", lambda *_: None))
    nlp = make_nlp({"linear_attention": False, "criss_cross": False})
    with pytest.raises(GapDNERError, match="switches both attentions off"):
        find_network(nlp.get_pipe("gapdner").model)


def choose(text, spans=(), cells=()):
    doc = Doc(spacy.blank("en").vocab, words=text.split(" "))
    # the pipe matters where nothing is chosen
    return choose_cells(doc, None, spans, cells)


def test_spans_and_cells():
    text = "painful joint shoulder pain ."
    # within "painful" it is no token
    assert choose(text, [" pain ", "2:4", " 0:5 "]) == [(3, 3), (2, 3), (0, 4)]
    assert choose(text, ["shoulder pain"], ["2,0", " 1, 1 ", "2,3"]) == [(2, 3), (2, 0), (1, 1)]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("spans", "Pain", "does not contain 'Pain'. The case of letters matters"),
        ("spans", "", "does not contain ''"),
        ("spans", "ain", "'ain' does not match whole tokens. The tokens are no | pain | no"),
        ("spans", "no pain no", "'no pain no' occurs 2 times. Use one of 0:3, 2:5"),
        ("spans", "3:3", "Invalid tokens 3:3. The text has tokens 0 to 5"),
        ("spans", "5:7", "Invalid tokens 5:7"),
        ("cells", "1:2", "Invalid cell '1:2'. Use token offsets ROW,COLUMN"),
        ("cells", "6,0", "Invalid tokens 6,0"),
    ],
)
def test_cells_that_cannot_be_found(option, value, message):
    with pytest.raises(GapDNERError, match=re.escape(message)):
        choose("no pain no pain no pain", **{option: [value]})


def test_the_segment_with_most_context():
    windows = [Segment(0, 8), Segment(6, 14), Segment(12, 16)]
    cells = [(0, 1), (7, 6), (7, 8), (8, 8), (12, 12), (13, 13)]
    assert [windows.index(find_segment(cell, windows)) for cell in cells] == [0, 0, 1, 1, 1, 2]
    with pytest.raises(GapDNERError, match=r"Tokens 5 and 9 .* 0:8, 6:14 separately"):
        find_segment((9, 5), windows)


def squares(axes):
    """The weights that a plot shows, by (row, column)."""
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
    assert [bar.get_width() for bar in bars.patches] == pytest.approx([2, 3, 4])
    assert [t.get_text() for t in bars.get_yticklabels()] == ["joint 11", "and 12", "arm 13"]
    # the column has 6 to 10 parts but none for the cell itself, its row 1 to 5: 46 in all
    weights = {(3, j): j + 1 for j in range(5)} | {(i, 1): i + 6 for i in (0, 1, 2, 4)}
    assert squares(cross) == pytest.approx({cell: w / 46 for cell, w in weights.items()})
    (target,) = (p for p in cross.patches if isinstance(p, Rectangle))
    assert target.get_xy() == (0.5, 2.5)
    names = [f"{word} {i}" for i, word in enumerate(WORDS, 10)]
    assert [t.get_text() for t in cross.get_xticklabels()] == names
    # rows go down
    assert cross.get_ylim() == (4.5, -0.5)
    assert cross.get_title(loc="left") == "Criss-cross attention of (13, 11)"
    assert scale.get_ylabel() == "criss-cross attention weight"
    assert {t.get_position(): t.get_text() for t in cross.texts} == {
        (1, 0): "F",
        (3, 2): "G",
        (4, 4): "FT",
    }


@pytest.mark.parametrize(("off", "n_axes"), [("linear", 2), ("cross", 1)])
def test_an_attention_that_is_switched_off_has_no_plot(off, n_axes):
    axes = plot_cell(make_segment(**{off: False}), 0, 1).axes
    assert len(axes) == n_axes
    title = axes[0].get_title(loc="left")
    assert title.startswith("Criss-cross" if off == "linear" else "Linear")


def test_plot_of_labels():
    (axes,) = plot_labels(make_segment()).axes
    found = {(p.get_x(), p.get_y(), p.get_width()): p.get_facecolor() for p in axes.patches}
    frag, gap = found[0.5, -0.5, 1], found[2.5, 1.5, 1]
    # two labels share a cell
    assert found.keys() == {(0.5, -0.5, 1), (2.5, 1.5, 1), (3.5, 3.5, 0.5), (4.0, 3.5, 0.5)}
    assert found[3.5, 3.5, 0.5] == frag
    assert len({frag, gap, found[4.0, 3.5, 0.5]}) == 3
    (legend,) = axes.figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["Frag", "Gap", "ADE"]


def test_page():
    first = make_segment(start=0, cells=[(0, 1), (4, 0)])
    files = draw_report(make_report(first, make_segment(start=5)))
    page = files["attention.html"].decode()
    names = ["labels_0-5", "cell_0-1", "cell_4-0", "labels_5-10", "cell_5-6"]
    plots = [f"{name}.{format}" for name in names for format in ("png", "svg")]
    assert list(files) == ["attention.html", *plots]
    for name in plots:
        assert files[name].startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    for text in [
        '<span class="word">severe <i class="fragment"',
        "Label: Frag 0.90",
        "(F: Frag, G: Gap, T: an entity type)",
        "Tokens 0 to 4",
        "Cell (4, 0): severe joint and arm pain",
        "Cell (5, 6)",
        '<td class="text">joint and arm pain</td><td class="text">9, 6</td>',
    ]:
        assert text in page
    assert page.count("<svg") == 5
    assert page.count("Most attended cells") == 3
    assert not any(word in page for word in ("<link", "src="))


def test_any_token_can_be_drawn():
    words = ["<b>", "$x^$", "\n", "&amp;", "_", "x" * 60]
    segment = make_segment(words, start=0, cells=[(0, 5)], labels={})
    files = draw_report(make_report(segment, text="<b> $x^$ a b c"))
    assert "<b>" not in files["attention.html"].decode()
    svg = files["cell_0-5.svg"].decode()
    for name in ("&lt;b&gt; 0", "$x^$ 1", "␣ 2", "&amp;amp; 3", "x" * 17 + "… 5"):
        assert svg.count(f">{name}<") == 3


@pytest.fixture(scope="module")
def model(nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny"
    nlp.to_disk(path)
    return path


def run(*args):
    return CliRunner().invoke(app, [*map(str, args)])


def test_command(model, tmp_path):
    output = tmp_path / "new" / "maps"
    result = run(model, JOINT, "--span", "pain", "--output", output)
    assert result.stdout == f"{output / 'attention.html'}\n"
    plots = [f"{name}.{end}" for name in ("cell_4-4", "labels_0-7") for end in ("png", "svg")]
    assert {p.name for p in output.iterdir()} == {"attention.html", *plots}


def test_errors_of_the_command(model, tmp_path):
    path = tmp_path / "file"
    path.write_text("kept")
    for message, *args in [
        ("The text is empty", model, "", "-o", tmp_path / "a"),
        ("Tokens 3 and 6 are in no", model, f"{ASPIRIN} {JOINT}", "--span", "3:7", "-o", "a"),
        ("is a file. Use a folder", model, JOINT, "-o", path),
    ]:
        result = run(*args)
        assert (result.exit_code, result.stdout) == (1, "")
        assert message in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
