"""Documents to render, and a reader for entities rendered as HTML."""

import re
from xml.etree import ElementTree

import pytest

from spacy_gapdner import set_entities
from spacy_gapdner.formats import DOC_NAME, blank_pipeline

NLP = blank_pipeline("en")
NO_CELL = ("", "", "")


def make_doc(text, entities=(), name=None, nlp=NLP):
    doc = nlp(text)
    set_entities(doc, entities)
    doc.user_data[DOC_NAME] = name
    return doc


def sentences(html):
    """The words of each sentence, each with the (kind, color, label) of the parts of bars under it.
    Words without bars end at spaces."""
    blocks = re.findall(r'<div class="entities".*?</div>', html, re.DOTALL)
    return [_words(ElementTree.fromstring(block)) for block in blocks]


def _words(element):
    words = _without_bars(element.text)
    for child in element:
        if child.get("class") == "word":
            cells = dict(_cell(part.attrib) for part in child)
            words.append([child.text, [cells.get(row, NO_CELL) for row in range(max(cells) + 1)]])
        else:
            words += _words(child)
        words += _without_bars(child.tail)
    return words


def _without_bars(text):
    return [[word, []] for word in re.findall(r"\S+\s*", text or "")]


def _cell(attributes):
    row, color = re.fullmatch(r"--row: (\d+); --color: (.*)", attributes["style"]).groups()
    # the first row contains the words
    return int(row) - 2, (attributes["class"], color, attributes.get("data-label", ""))


def rows(sentence):
    """The rows of a sentence, one character per word: = for a fragment, . for a gap."""
    marks = {"fragment": "=", "gap": ".", "": " "}
    kinds = [[marks[kind.split(" ")[0]] for kind, _, _ in cells] for _, cells in sentence]
    n_rows = max(map(len, kinds), default=0)
    return ["".join([*cells, *" " * n_rows][row] for cells in kinds) for row in range(n_rows)]


def check_lines(cells, height):
    """Check the bars in each line. A cell starts with the tops of its line and of its bar."""
    lines = sorted({line for line, *_ in cells})
    assert len(lines) > 2
    for line in lines:
        tops = [top - line for own, top, *_ in cells if own == line]
        rows = sorted(set(tops))
        # there is no free row, and the first word has a bar close to it
        assert rows == pytest.approx([rows[0] + i * height for i in range(len(rows))], abs=1)
        assert tops[0] < 28


def labels(sentence):
    return [label for _, cells in sentence for *_, label in cells if label]
