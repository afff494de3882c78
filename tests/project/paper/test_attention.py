"""The command ``python -m project.paper.attention``."""

import re

import numpy as np
import pytest
import torch
from command_lines import invoke
from thinc.api import Model
from tiny_pipeline import ANNOTATED, make_nlp, trained_pipeline

from project.paper.attention import app
from project.paper.attention_maps import find_network, find_segment, record_attention
from project.paper.attention_page import draw_report, plot_cell
from spacy_gapdner import GapDNERError
from spacy_gapdner.grid.segments import Segment

JOINT, ASPIRIN = ANNOTATED[0][0], ANNOTATED[1][0]
# the fragments, gaps and type of both entities of JOINT
CELLS = [(0, 0), (1, 2), (3, 4), (4, 0), (0, 1), (2, 3), (4, 4)]


@pytest.fixture(scope="module")
def nlp():
    return trained_pipeline()


def addresses(report):
    return [segment.address(*cell) for segment in report.segments for cell in segment.cells]


def test_cells_of_all_entities(nlp):
    report = record_attention(nlp, JOINT)
    assert sorted(addresses(report)) == sorted(CELLS)
    (segment,) = report.segments
    names = {cell: label.name for cell, (label,) in segment.labels.items()}
    assert names == dict.fromkeys(CELLS, "Frag") | {(1, 2): "Gap", (2, 3): "Gap", (4, 0): "ADR"}
    network = find_network(nlp.get_pipe("gapdner").model)
    assert not any(module._forward_pre_hooks for module in network.modules())


@torch.no_grad()
def test_weights_agree_with_the_equations(nlp):
    # the second sentence starts at token 5
    text = f"{ASPIRIN} {JOINT}"
    pipe = nlp.get_pipe("gapdner")
    network, features = find_network(pipe.model), []
    hook = network.activation.register_forward_hook(lambda *args: features.append(args[-1]))
    report = record_attention(nlp, text, spans=["joint and"], cells=["2,2", "9,6"])
    assert [tuple(segment.segment) for segment in report.segments] == [(0, 5), (5, 12)]
    assert addresses(report) == [(2, 2), (6, 7), (9, 6)]
    vectors = pipe.model.get_ref("tok2vec").predict([report.doc])[0]
    part = network.criss_cross
    for segment in report.segments:
        start, end = segment.segment
        n = end - start
        words, lengths = torch.from_numpy(vectors[start:end])[None], torch.tensor([n])
        network.make_scorer()(network.encode(words, lengths), None)
        hidden, grid = network.bilstm(words, lengths), features[-1].view(n, n, -1)
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


def test_models_without_attention():
    with pytest.raises(GapDNERError, match="Only the architecture"):
        find_network(Model("other", lambda *_: None))
    nlp = make_nlp({"linear_attention": False, "criss_cross": False})
    with pytest.raises(GapDNERError, match="Both attention layers are switched off"):
        find_network(nlp.get_pipe("gapdner").model)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("spans", "Pain", "does not contain 'Pain'. The search is case-sensitive"),
        ("spans", "ain", "'ain' does not match whole tokens. The tokens are no | pain | no"),
        ("spans", "no pain no", "'no pain no' occurs 2 times. Use --cell 0,2 or --cell 2,4"),
        ("cells", "1:2", "Invalid cell: '1:2'. Use token offsets ROW,COLUMN"),
        ("cells", "6,0", "Invalid cell: 6,0. The text has tokens 0 to 5"),
    ],
)
def test_invalid_spans_and_cells(nlp, option, value, message):
    with pytest.raises(GapDNERError, match=re.escape(message)):
        record_attention(nlp, "no pain no pain no pain", **{option: [value]})


def test_segment_with_most_context():
    windows = [Segment(0, 8), Segment(6, 14), Segment(12, 16)]
    cells = [(0, 1), (7, 6), (7, 8), (8, 8), (12, 12), (13, 13)]
    assert [windows.index(find_segment(cell, windows)) for cell in cells] == [0, 0, 1, 1, 1, 2]
    with pytest.raises(GapDNERError, match=r"Tokens 5 and 9 .* 0:8, 6:14 separately"):
        find_segment((9, 5), windows)


def test_plot_of_a_cell(nlp):
    report = record_attention(nlp, f"{ASPIRIN} {JOINT}", cells=["8,6"])
    (segment,) = report.segments
    bars, cross, _ = plot_cell(segment, 3, 1).axes
    widths = [bar.get_width() for bar in bars.patches]
    assert widths == pytest.approx(segment.span_weights(3, 1).tolist())
    names = [text.get_text() for text in bars.get_yticklabels()]
    assert names == ["joint 6", "and 7", "shoulder 8"]
    (mesh,) = (c for c in cross.collections if c.get_array() is not None)
    shown = mesh.get_array().reshape(7, 7)
    np.testing.assert_array_equal(np.ma.filled(shown, np.nan), segment.cell_weights(3, 1))
    # columns are horizontal
    marks = {text.get_position()[::-1]: text.get_text() for text in cross.texts}
    assert marks == dict(zip(CELLS, "FGFTFGF", strict=True))


def test_page(nlp):
    text = f"{'x' * 60} <b> x^$y$ \n"
    report = record_attention(nlp, text, cells=["0,1", "3,0"])
    files = draw_report(report)
    page = files["attention.html"].decode()
    assert page.count("<svg") == 3
    assert not any(word in page for word in ("<link", "src=", "<b>", "<metadata"))
    svg = files["cell_3-0.svg"].decode()
    for name in ("&lt;", "x^$y$", "␣", "x" * 17 + "…"):
        assert f">{name} " in svg


def test_command(nlp, tmp_path):
    model, output = tmp_path / "tiny", tmp_path / "new" / "maps"
    nlp.to_disk(model)
    result = invoke(app, model, JOINT, "--span", "pain", "-o", output)
    assert result.stdout == f"{output / 'attention.html'}\n"
    plots = [f"{name}.{end}" for name in ("cell_4-4", "labels_0-7") for end in ("png", "svg")]
    assert {p.name for p in output.iterdir()} == {"attention.html", *plots}
    result = invoke(app, model, "", "-o", tmp_path / "a", exit_code=1)
    assert "The text is empty" in result.stderr
