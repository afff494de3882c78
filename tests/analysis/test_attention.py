import numpy as np
import pytest
import torch
from attention_reports import make_segment
from tiny_pipeline import ANNOTATED

from spacy_gapdner.analysis.attention import attention, label_cells
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.grid import SoftmaxTagging
from spacy_gapdner.grid.cells import LabelledCells
from spacy_gapdner.model.attention_maps import record_attention
from spacy_gapdner.segments import get_segments

JOINT = ANNOTATED[0][0]
ASPIRIN = ANNOTATED[1][0]
# of both entities of JOINT: Frag, Gap, Frag and type, the type once
CELLS = [(0, 0), (1, 2), (3, 4), (4, 0), (0, 1), (2, 3), (4, 4)]


def addresses(report):
    return [segment.address(*cell) for segment in report.segments for cell in segment.cells]


def test_entities_by_default(nlp):
    report = attention(nlp, JOINT)
    assert [e.text for e in report.entities] == ["Severe joint pain", "Severe shoulder pain"]
    assert sorted(addresses(report)) == sorted(CELLS)
    (segment,) = report.segments
    # all these cells are labelled, and no other
    names = {cell: label.name for cell, (label,) in segment.labels.items()}
    assert names.keys() == set(CELLS)
    assert {cell for cell, name in names.items() if name == "Gap"} == {(1, 2), (2, 3)}
    assert {cell for cell, name in names.items() if name == "ADR"} == {(4, 0)}


def test_the_maps_are_those_of_the_model(nlp):
    pipe = nlp.get_pipe("gapdner")
    text = f"{ASPIRIN} {JOINT}"
    with record_attention(pipe.model) as recording:
        doc = nlp(text)
    maps = recording.maps(doc, get_segments(doc, pipe.cfg["max_length"], pipe.cfg["stride"]))
    report = attention(nlp, text, spans=["joint and"], cells=["9,6"])
    # the second sentence begins at token 5
    assert addresses(report) == [(6, 7), (9, 6)]
    (segment,) = report.segments
    for name in ("scores", "token_scores", "cross_weights"):
        np.testing.assert_array_equal(getattr(segment.maps, name), getattr(maps[1], name))
    # by sentence, then as given; the second cell is the first span's
    chosen = attention(nlp, text, spans=["pain", "2:3"], cells=["9,9", "5,9"])
    assert addresses(chosen) == [(2, 2), (9, 9), (5, 9)]


def test_a_network_without_attention(nlp, monkeypatch):
    monkeypatch.setattr("spacy_gapdner.model.attention_maps.GapDNERNetwork", torch.nn.Linear)
    with pytest.raises(GapDNERError, match="only the architecture spacy-gapdner"):
        attention(nlp, JOINT)


def test_labels_have_the_names_of_their_channels():
    cells = np.array([(0, 1, 1), (1, 2, 2), (3, 0, 4), (3, 3, 3), (3, 3, 1)])
    labelled = LabelledCells(cells, np.array([0.5, 0.625, 0.75, 0.875, 1.0]))
    found = label_cells(labelled, SoftmaxTagging(), ["ADE", "DRUG"])
    assert found == {
        (0, 1): [(1, "Frag", False, 0.5)],
        (1, 2): [(2, "Gap", False, 0.625)],
        (3, 0): [(4, "DRUG", True, 0.75)],
        (3, 3): [(3, "ADE", True, 0.875), (1, "Frag", False, 1.0)],
    }
    assert [label.mark for labels in found.values() for label in labels] == list("FGTTF")


def test_cells_are_named_in_the_offsets_of_the_text():
    segment = make_segment()
    assert segment.title(3, 1) == "Cell (13, 11): joint and arm"
    assert (segment.name(3, 1), segment.labels_name) == ("cell_13-11", "labels_10-15")
    assert segment.label_text(4, 4) == "Frag 0.90, ADE 0.62"
    assert segment.label_text(0, 0) == ""
    segment = make_segment(["a", "\n\n", "b", "c", "d", "e", "f"], start=0)
    assert segment.span_text(0, 3) == "a b c"
    assert segment.span_text(6, 0) == "a b … d e f"
    assert segment.token(1) == "␣ 1"


def test_tables():
    segment = make_segment()
    # 1 + 2 + 3 parts, and an even share below the diagonal
    thirds = [("severe 10", "0.167"), ("joint 11", "0.333"), ("and 12", "0.500")]
    assert segment.token_rows(0, 2) == thirds
    assert segment.token_rows(1, 0) == [("severe 10", "0.500"), ("joint 11", "0.500")]
    # the column has 6 to 10 parts, but the cell itself 2 as part of its row: 49 in all
    rows = segment.top_rows(0, 1, 99)
    assert rows[:3] == [
        ("joint and arm pain", "14, 11", "", "0.204"),
        ("joint and arm", "13, 11", "", "0.184"),
        ("joint and", "12, 11", "", "0.163"),
    ]
    assert ("severe joint (itself)", "10, 11", "Frag 0.90", "0.041") in rows
    assert len(rows) == 9
