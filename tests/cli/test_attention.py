import re
import sys

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.cli._cells import entity_cells, find_segment, parse_cell, span_cell
from spacy_gapdner.cli.attention import attention
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.model.attention_maps import record_attention
from spacy_gapdner.segments import Segment, get_segments

JOINT = "Severe joint and shoulder pain today ."
ASPIRIN = "He took aspirin twice ."
# of both entities of JOINT: Frag, Gap, Frag and type, the type once
CELLS = [(0, 0), (1, 2), (3, 4), (4, 0), (0, 1), (2, 3), (4, 4)]


def make_doc(text):
    return Doc(spacy.blank("en").vocab, words=text.split(" "))


def addresses(report):
    return [segment.address(*cell) for segment in report.segments for cell in segment.cells]


@pytest.fixture(scope="module")
def other_model(tiny_config, tmp_path_factory):
    """Saves an untrained pipeline with other settings of the model."""

    def make(**settings):
        fix_random_seed(0)
        nlp = spacy.blank("en")
        config = {"model": {**tiny_config["model"], **settings}}
        nlp.add_pipe("gapdner", config=config)
        gold = make_doc(JOINT)
        set_entities(gold, [Entity("ADR", ((0, 2),))])
        nlp.initialize(lambda: [Example(make_doc(JOINT), gold)])
        path = tmp_path_factory.mktemp("models") / "other"
        nlp.to_disk(path)
        return path

    return make


@pytest.mark.parametrize(
    ("span", "cell"),
    [
        ("shoulder pain", (2, 3)),
        (" pain ", (3, 3)),
        ("2:4", (2, 3)),
        (" 0:5 ", (0, 4)),
        ("4:5", (4, 4)),
        # within "painful" it is no token
        ("pain", (3, 3)),
    ],
)
def test_spans(span, cell):
    doc = make_doc("painful joint shoulder pain .")
    assert span_cell(doc, span) == cell
    assert span_cell(doc, span, lower=True) == cell[::-1]


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ("arm", "does not hold 'arm'"),
        ("Pain", "does not hold 'Pain'. Upper and lower case count"),
        ("", "does not hold ''"),
        ("ain", "'ain' does not begin and end where tokens do. The tokens are no | pain | no"),
        ("pain no", "'pain no' occurs 2 times, as tokens 1:3, 3:5"),
        ("no pain no", "'no pain no' occurs 2 times, as tokens 0:3, 2:5"),
        ("3:3", "no tokens 3:3: the text has tokens 0 to 5"),
        ("4:2", "no tokens 4:2"),
        ("5:7", "no tokens 5:7"),
    ],
)
def test_spans_that_cannot_be_found(span, message):
    with pytest.raises(GapDNERError, match=re.escape(message)):
        span_cell(make_doc("no pain no pain no pain"), span)


def test_cells():
    doc = make_doc("a b c")
    assert parse_cell(doc, "2,0") == (2, 0)
    assert parse_cell(doc, " 1, 1 ") == (1, 1)
    for wrong in ("1", "1:2", "1,2,3", "-1,0", "a,b"):
        with pytest.raises(GapDNERError, match=f"ROW,COLUMN .* not '{wrong}'"):
            parse_cell(doc, wrong)
    for outside in ("3,0", "0,3"):
        with pytest.raises(GapDNERError, match=f"no tokens {outside}: the text has tokens 0 to 2"):
            parse_cell(doc, outside)


def test_cells_of_entities():
    entities = [Entity("X", ((0, 2), (3, 4))), Entity("Y", ((0, 2),)), Entity("Z", ((5, 6),))]
    assert entity_cells(entities) == [(0, 1), (2, 2), (3, 3), (3, 0), (1, 0), (5, 5)]
    assert entity_cells([]) == []


def test_the_segment_with_most_context():
    windows = [Segment(0, 8), Segment(6, 14), Segment(12, 16)]
    assert [find_segment(cell, windows) for cell in [(0, 1), (6, 7), (7, 6), (7, 8)]] == [
        0,
        0,
        0,
        1,
    ]
    # two tokens before it and five after, or none before it
    assert find_segment((8, 8), windows) == 1
    assert find_segment((12, 12), windows) == 1
    assert find_segment((13, 13), windows) == 2
    with pytest.raises(GapDNERError, match=r"Tokens 5 and 9 .* 0:8, 6:14\. Choose"):
        find_segment((9, 5), windows)


def test_entities_by_default(model):
    report = attention(model, JOINT)
    assert [e.text for e in report.entities] == ["Severe shoulder pain", "Severe joint pain"]
    assert sorted(addresses(report)) == sorted(CELLS)
    (segment,) = report.segments
    # all these cells are labelled, and no other
    assert set(segment.labels) == set(CELLS)
    names = {cell: [label.name for label in labels] for cell, labels in segment.labels.items()}
    assert names[4, 0] == ["ADR"]
    assert names[1, 2] == names[2, 3] == ["Gap"]
    assert names[0, 1] == names[3, 4] == ["Frag"]


def test_the_maps_are_those_of_the_model(tiny, model):
    pipe = tiny.get_pipe("gapdner")
    with record_attention(pipe.model) as recording:
        doc = tiny(f"{ASPIRIN} {JOINT}")
    maps = recording.maps(doc, get_segments(doc, pipe.max_length, pipe.stride))
    report = attention(model, f"{ASPIRIN} {JOINT}", spans=["joint and"], cells=["9,6"])
    # the second sentence begins at token 5
    assert addresses(report) == [(6, 7), (9, 6)]
    (segment,) = report.segments
    assert list(segment.cells) == [(1, 2), (4, 1)]
    for name in ("scores", "token_scores", "cross_weights"):
        np.testing.assert_array_equal(getattr(segment.maps, name), getattr(maps[1], name))


def test_choices(model):
    text = f"{ASPIRIN} {JOINT}"
    report = attention(model, text, spans=["pain", "2:3"], cells=["9,9", "5,9"])
    # by sentence, then as given; the second cell is the first span's
    assert addresses(report) == [(2, 2), (9, 9), (5, 9)]
    assert addresses(attention(model, text, spans=["joint and"], lower=True)) == [(7, 6)]


def test_screen(run, model):
    result = run("attention", model, JOINT, "--span", "shoulder pain", "--cell", "4,0")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    lines = [line.strip() for line in result.stdout.split("\n")]
    assert any(re.fullmatch(r"ADR +Severe shoulder pain +0:1, 3:5 +[01]\.\d\d", x) for x in lines)
    assert any(re.fullmatch(r"Cell \(3, 4\): shoulder pain \[Frag \d\.\d\d\]", x) for x in lines)
    assert any(
        re.fullmatch(r"Cell \(4, 0\): Severe joint and shoulder pain \[ADR .*\]", x) for x in lines
    )
    weights = [re.fullmatch(r"(shoulder 3|pain 4) +(\d\.\d{3})", x) for x in lines]
    # of two tokens in the first table and all five in the second
    found = [(m.group(1), float(m.group(2))) for m in weights if m]
    assert [token for token, _ in found] == ["shoulder 3", "pain 4"] * 2
    assert found[0][1] + found[1][1] == pytest.approx(1, abs=0.0011)
    assert sum(line.startswith("Most attended cells") for line in lines) == 2


def test_output(run, model, tmp_path):
    output = tmp_path / "new" / "maps"
    result = run("attention", model, JOINT, "--output", output, "--format", "svg")
    assert result.exit_code == 0, result.output
    assert "8 plots" in result.stdout
    assert result.stdout.endswith(f"{output / 'attention.html'}\n")
    names = [f"cell_{row}-{column}" for row, column in CELLS]
    files = sorted(p.name for p in output.iterdir())
    assert files == sorted(["attention.html", *(f"{n}.svg" for n in [*names, "labels_0-7"])])
    page = (output / "attention.html").read_text(encoding="utf-8")
    assert JOINT in page
    for name in names:
        assert f'id="{name}"' in page


def test_output_formats(run, model, tmp_path):
    args = ["attention", model, JOINT, "--span", "pain", "-o", tmp_path / "maps"]
    assert run(*args).exit_code == 0
    names = {p.name: p.read_bytes()[:4] for p in (tmp_path / "maps").iterdir()}
    assert set(names) == {
        "attention.html",
        *(f"{name}.{end}" for name in ("cell_4-4", "labels_0-7") for end in ("png", "svg")),
    }
    assert names["cell_4-4.png"] == b"\x89PNG"


def test_errors(fails, model, tmp_path):
    fails("The text is empty", "attention", model, "")
    fails("no entity in the text. Choose", "attention", model, "No complaints so far .")
    fails("no entity in the text. Choose", "attention", model, JOINT, "--threshold", 1)
    fails("does not hold 'arm'", "attention", model, JOINT, "--span", "arm")
    fails("ROW,COLUMN", "attention", model, JOINT, "--cell", "arm")
    fails("--lower belongs to --span", "attention", model, JOINT, "--lower", "--cell", "1,1")
    fails("There is no folder", "attention", tmp_path / "missing", JOINT)
    crossing = ["attention", model, f"{ASPIRIN} {JOINT}", "--span", "3:7"]
    fails("Tokens 3 and 6 never stand in one grid", *crossing)
    (tmp_path / "file").write_text("kept")
    fails("is a file. Give a folder", "attention", model, JOINT, "-o", tmp_path / "file")
    args = ["attention", model, JOINT, "-o", tmp_path / "new"]
    fails("Unknown format 'jpg': choose png, svg, both", *args, "-f", "jpg")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_without_matplotlib(fails, run, model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    # said before anything is loaded: there is no such model either
    fails("Plots need matplotlib", "attention", tmp_path / "missing", JOINT, "-o", tmp_path / "x")
    assert not (tmp_path / "x").exists()
    assert run("attention", model, JOINT).exit_code == 0


@pytest.mark.parametrize(
    ("part", "name", "table"),
    [
        ("linear_attention", "linear", "Linear attention"),
        ("criss_cross", "criss-cross", "Most attended cells"),
    ],
)
def test_an_attention_that_is_switched_off(run, other_model, tmp_path, part, name, table):
    path = other_model(**{part: False})
    result = run("attention", path, JOINT, "--span", "pain")
    assert result.exit_code == 0, result.output
    assert f"The model has no {name} attention" in result.stdout
    assert table not in result.stdout
    result = run("attention", path, JOINT, "--span", "pain", "-o", tmp_path / "x", "-f", "svg")
    assert result.exit_code == 0, result.output
    assert f"The model has no {name} attention" in result.stdout
    assert len(list((tmp_path / "x").iterdir())) == 3


def test_models_without_attention(fails, other_model, monkeypatch):
    path = other_model(linear_attention=False, criss_cross=False)
    fails("neither linear nor criss-cross attention: both are switched off", "attention", path, "a")
    path = other_model()
    monkeypatch.setattr("spacy_gapdner.model.attention_maps.GapDNERNetwork", torch.nn.Linear)
    fails("only the architecture spacy-gapdner.GapDNER.v1 has them", "attention", path, "a")
