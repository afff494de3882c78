import re

import pytest
import spacy
from spacy.tokens import Doc

from spacy_gapdner.analysis.chosen_cells import _parse_cell, _span_cell, find_segment
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.segments import Segment


def make_doc(text):
    return Doc(spacy.blank("en").vocab, words=text.split(" "))


@pytest.mark.parametrize(
    ("span", "cell"),
    [
        ("shoulder pain", (2, 3)),
        # within "painful" it is no token
        (" pain ", (3, 3)),
        ("2:4", (2, 3)),
        (" 0:5 ", (0, 4)),
    ],
)
def test_spans(span, cell):
    assert _span_cell(make_doc("painful joint shoulder pain ."), span) == cell


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ("Pain", "does not hold 'Pain'. Upper and lower case count"),
        ("", "does not hold ''"),
        ("ain", "'ain' does not begin and end where tokens do. The tokens are no | pain | no"),
        ("no pain no", "'no pain no' occurs 2 times, as tokens 0:3, 2:5"),
        ("3:3", "no tokens 3:3: the text has tokens 0 to 5"),
        ("4:2", "no tokens 4:2"),
        ("5:7", "no tokens 5:7"),
    ],
)
def test_spans_that_cannot_be_found(span, message):
    with pytest.raises(GapDNERError, match=re.escape(message)):
        _span_cell(make_doc("no pain no pain no pain"), span)


def test_cells():
    doc = make_doc("a b c")
    assert _parse_cell(doc, "2,0") == (2, 0)
    assert _parse_cell(doc, " 1, 1 ") == (1, 1)
    for wrong in ("1", "1:2", "-1,0", "a,b"):
        with pytest.raises(GapDNERError, match=f"ROW,COLUMN .* not '{wrong}'"):
            _parse_cell(doc, wrong)
    for outside in ("3,0", "0,3"):
        with pytest.raises(GapDNERError, match=f"no tokens {outside}: the text has tokens 0 to 2"):
            _parse_cell(doc, outside)


def test_the_segment_with_most_context():
    windows = [Segment(0, 8), Segment(6, 14), Segment(12, 16)]
    cells = [(0, 1), (7, 6), (7, 8), (8, 8), (12, 12), (13, 13)]
    assert [find_segment(cell, windows) for cell in cells] == [0, 0, 1, 1, 1, 2]
    with pytest.raises(GapDNERError, match=r"Tokens 5 and 9 .* 0:8, 6:14\. Choose"):
        find_segment((9, 5), windows)
