"""Docs of others, which may hold what no file can."""

import pytest
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, Report, read
from spacy_gapdner.formats.docs import DOC_EXTRA
from spacy_gapdner.formats.relations import DOC_RELATIONS

GROUPS = {
    "different labels": ([(0, 1, "A"), (2, 3, "B")], {}),
    "has no label": ([(0, 1, "")], {}),
    "a fragment that is empty": ([(1, 1, "A")], {}),
    "a fragment that is empty ": ([(0, 1, "A"), (2, 2, "A")], {}),
    "empty or overlaps another": ([(1, 3, "A"), (0, 2, "A")], {}),
    "or overlaps another": ([(0, 1, "A"), (0, 1, "A")], {}),
    "The score .* 'high'": ([(0, 1, "A")], {"score": "high"}),
    "The score .* nan": ([(0, 1, "A")], {"score": float("nan")}),
    "The score .* 1.5": ([(0, 1, "A")], {"score": 1.5}),
    "The id .* must be a text": ([(0, 1, "A")], {"id": 5}),
    "attributes .* must have names": ([(0, 1, "A")], {"_": [1]}),
    "attributes .* cannot be saved": ([(0, 1, "A")], {"_": {"cue": b"x"}}),
}


@pytest.mark.parametrize("problem", GROUPS)
def test_span_groups_that_are_no_entities(tmp_path, problem):
    spans, attrs = GROUPS[problem]
    docs = [Doc(Vocab(), words=["severe", "joint", "pain"]) for _ in range(2)]
    for name, of in (("gapdner_1", spans), ("other_1", [(0, 1, "A"), (1, 2, "B")])):
        found = [Span(docs[0], start, end, label=label) for start, end, label in of]
        docs[0].spans[name] = SpanGroup(docs[0], name=name, spans=found, attrs=attrs)
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "a.spacy")
    message = rf"a\.spacy, document 'severe joint pain ': .*{problem.strip()}"
    with pytest.raises(GapDNERError, match=message):
        list(read(tmp_path / "a.spacy"))
    # one bad document is left out alone
    report = Report(skip=True)
    assert len(list(read(tmp_path / "a.spacy", report=report))) == 1
    assert len(report.skipped) == 1


@pytest.mark.parametrize(
    "data",
    [
        {DOC_NAME: ["x"]},
        {DOC_NAME: None},
        {DOC_EXTRA: "x"},
        {DOC_EXTRA: None},
        {DOC_EXTRA: {"a": b"x"}},
        {DOC_RELATIONS: None},
        {DOC_RELATIONS: ["R1\tCause Arg1:T1 Arg2:T2", "T1 causes T2"]},
    ],
)
def test_user_data_of_another_type(tmp_path, data):
    doc = Doc(Vocab(), words=["pain"], user_data=data)
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    with pytest.raises(GapDNERError, match=r"its name is no text|its relations are no lines"):
        list(read(tmp_path / "a.spacy"))
