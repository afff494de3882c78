"""Pipes that set attributes of spans, with discontinuous entities."""

import os
import sys
from pathlib import Path

import pytest
import spacy
from python_process import run_python
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities

TEXT = "No severe joint and back pain. Fever."
PLACES = [((1, 3), (5, 6)), ((1, 2), (4, 6)), ((7, 8),)]
# the main module, which new processes import
SCRIPT = """
import multiprocessing
from test_adapters import TEXT, get_entities, make_pipeline

if __name__ == "__main__":
    nlp = make_pipeline()
    for method in ("fork", "spawn", "forkserver"):
        multiprocessing.set_start_method(method, force=True)
        (doc,) = nlp.pipe([TEXT], n_process=2)
        print([entity._.negated_for_test for entity in get_entities(doc)])
"""


@Language.component("annotate_for_test")
def annotate(doc: Doc) -> Doc:
    set_entities(doc, [Entity("ADE", place) for place in PLACES])
    return doc


@Language.component("negate_for_test")
def negate(doc: Doc) -> Doc:
    for span in doc.spans["gapdner_extents"]:
        span._.set("negated_for_test", doc[max(span.start - 1, 0)].lower_ == "no")
    return doc


def make_pipeline():
    Span.set_extension("negated_for_test", default=None, force=True)
    nlp = spacy.blank("en")
    for name in ("annotate_for_test", "gapdner_extents", "negate_for_test"):
        nlp.add_pipe(name)
    nlp.add_pipe("gapdner_span_attributes", config={"names": ["negated_for_test"]})
    return nlp


def test_span_attributes_are_copied_to_the_entities(tmp_path):
    nlp = make_pipeline()
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)(TEXT)
    extents = [(span.start, span.end, span.label_) for span in doc.spans["gapdner_extents"]]
    assert extents == [(1, 6, "ADE"), (7, 8, "ADE")]
    found = {entity.text: entity._.negated_for_test for entity in get_entities(doc)}
    assert found == {"severe back pain": True, "severe joint pain": True, "Fever": False}
    nlp.add_pipe("gapdner_span_attributes", name="other", config={"names": ["unheard_of"]})
    with pytest.raises(AttributeError, match="unheard_of"):
        nlp(TEXT)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="only has the start method spawn")
def test_attributes_with_every_start_method(tmp_path):
    (tmp_path / "main.py").write_text(SCRIPT)
    path = os.pathsep.join(map(str, Path(__file__).parents[:2]))
    output = run_python(tmp_path / "main.py", PYTHONPATH=path)
    assert output.splitlines() == ["[True, True, False]"] * 3


def test_order_of_pipes_is_analyzed():
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_span_attributes", config={"names": ["negex"]})
    nlp.add_pipe("gapdner_linker", config={"terms": "terms.tsv"})
    nlp.add_pipe("gapdner_extents", first=True)
    nlp.add_pipe("gapdner")
    problems = nlp.analyze_pipes()["problems"]
    assert [name for name in nlp.pipe_names if problems[name]] == ["gapdner_extents"]
    nlp.add_pipe("gapdner_linker", "linker", config={"terms": "terms.tsv"}, first=True)
    assert nlp.analyze_pipes()["problems"]["linker"] == ["doc.spans"]


# texts with a negated entity, and with another one
NEGATED = [
    ("Pain not in the knee but in the hip.", ("Pain", "in the knee"), ("Pain", "in the hip")),
    ("No joint but severe back pain.", ("joint", "pain"), ("severe back pain",)),
    ("Joint swelling but no pain.", ("Joint", "pain"), ("Joint swelling",)),
    ("No pain in the knee but in the hip.", ("pain in the knee",), ("pain", "in the hip")),
    ("Joint, but not back pain.", ("back pain",), ("Joint", "pain")),
]
NEGEX = ("negspacy.negation", "negex", {"span_keys": ["gapdner_extents"]}, "negex")
OF_GROUP = {"input_span_type": "group", "span_group_name": "gapdner_extents"}
CONTEXT = ("medspacy.context", "medspacy_context", OF_GROUP, "is_negated")


def find_entity(doc, fragments):
    starts = map(doc.text.index, fragments)
    spans = [doc.char_span(s, s + len(f)) for s, f in zip(starts, fragments, strict=True)]
    return Entity("ADE", tuple((span.start, span.end) for span in spans))


# with the numbers of the texts that are wrong if extents are classified
@pytest.mark.parametrize(("tool", "extent_errors"), [(NEGEX, [0, 1, 2]), (CONTEXT, [3, 4])])
@pytest.mark.parametrize("fragments", [False, True])
def test_negation_of_fragments(nlp, tool, extent_errors, fragments, tmp_path):
    module, name, config, attribute = tool
    pytest.importorskip(module)
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("gapdner_extents", config={"fragments": fragments})
    nlp.add_pipe(name, config=config)
    settings = {"names": [attribute], "fragments": fragments}
    nlp.add_pipe("gapdner_span_attributes", config=settings)
    nlp.to_disk(tmp_path)
    nlp, errors = spacy.load(tmp_path), []
    for number, (text, negated, other) in enumerate(NEGATED):
        doc = nlp.make_doc(text)
        expected = {find_entity(doc, negated): True, find_entity(doc, other): False}
        set_entities(doc, expected)
        found = {e.to_entity(): e._.get(attribute) for e in get_entities(nlp(doc))}
        if found != expected:
            errors.append(number)
    assert errors == ([] if fragments else extent_errors)


def test_shared_fragments_count_if_there_are_no_others(nlp):
    Span.set_extension("flag_for_test", default=False, force=True)
    doc = nlp.make_doc("a b c d")
    places = [((0, 1), (2, 3)), ((0, 1), (3, 4)), ((0, 1), (2, 4))]
    set_entities(doc, [Entity("ADE", p) for p in places] + [Entity("PART", ((2, 3),))])
    doc[2:3]._.flag_for_test = True
    settings = {"names": ["flag_for_test"], "fragments": True}
    doc = nlp.add_pipe("gapdner_span_attributes", config=settings)(doc)
    values = [(e.label_, e.fragments, e._.flag_for_test) for e in get_entities(doc)]
    other_ades = [("ADE", ((0, 1), (2, 4)), False), ("ADE", ((0, 1), (3, 4)), False)]
    assert values == [("ADE", ((0, 1), (2, 3)), True), *other_ades, ("PART", ((2, 3),), True)]


@pytest.mark.parametrize(("extents", "fragments"), [(False, True), (True, False)])
def test_adapters_must_use_the_same_spans(nlp, extents, fragments):
    nlp.add_pipe("gapdner_extents", config={"fragments": extents})
    settings = {"names": ["negex"], "fragments": fragments}
    with pytest.raises(GapDNERError, match=f"fragments = {extents}, but judged has .*{fragments}"):
        nlp.add_pipe("gapdner_span_attributes", name="judged", config=settings)
