"""Docs from other sources, with values that a file cannot store."""

import pytest
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import Report, read

GROUPS = {
    "different labels": ([(0, 1, "A"), (2, 3, "B")], {}),
    "or are empty": ([(1, 1, "A")], {}),
    "overlap or": ([(1, 3, "A"), (0, 2, "A")], {}),
    "score .* 'high'": ([(0, 1, "A")], {"score": "high"}),
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
    message = rf"a\.spacy, document 'severe joint pain ': .*{problem}"
    with pytest.raises(GapDNERError, match=message):
        list(read(tmp_path / "a.spacy"))
    # only the invalid document is skipped
    report = Report(skip=True)
    assert len(list(read(tmp_path / "a.spacy", report=report))) == 1
    assert len(report.skipped) == 1
