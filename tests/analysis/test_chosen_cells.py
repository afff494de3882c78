import re

import pytest
import spacy
from spacy.tokens import Doc

from spacy_gapdner.analysis.chosen_cells import choose_cells, find_segment
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.segments import Segment


def choose(text, spans=(), cells=()):
    doc = Doc(spacy.blank("en").vocab, words=text.split(" "))
    # the pipe counts where nothing is chosen
    return choose_cells(doc, None, spans, cells)


def test_spans_and_cells():
    text = "painful joint shoulder pain ."
    # within "painful" it is no token
    assert choose(text, [" pain ", "2:4", " 0:5 "]) == [(3, 3), (2, 3), (0, 4)]
    assert choose(text, ["shoulder pain"], ["2,0", " 1, 1 ", "2,3"]) == [(2, 3), (2, 0), (1, 1)]


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
        choose("no pain no pain no pain", [span])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1:2", "ROW,COLUMN .* not '1:2'"),
        ("-1,0", "ROW,COLUMN .* not '-1,0'"),
        ("3,0", "no tokens 3,0: the text has tokens 0 to 2"),
        ("0,3", "no tokens 0,3"),
    ],
)
def test_cells_that_cannot_be_found(cell, message):
    with pytest.raises(GapDNERError, match=message):
        choose("a b c", cells=[cell])


def test_the_segment_with_most_context():
    windows = [Segment(0, 8), Segment(6, 14), Segment(12, 16)]
    cells = [(0, 1), (7, 6), (7, 8), (8, 8), (12, 12), (13, 13)]
    assert [find_segment(cell, windows) for cell in cells] == [0, 0, 1, 1, 1, 2]
    with pytest.raises(GapDNERError, match=r"Tokens 5 and 9 .* 0:8, 6:14\. Choose"):
        find_segment((9, 5), windows)
