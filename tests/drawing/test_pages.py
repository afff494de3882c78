"""Pages written document by document: what stands where, and what is left when it fails."""

import re

import pytest
import spacy

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.drawing.pages import draw, write_columns, write_html
from spacy_gapdner.drawing.render import PALETTE
from spacy_gapdner.errors import GapDNERError


@pytest.fixture
def docs():
    nlp = spacy.blank("en")
    first, second = nlp("No pain."), nlp("Brenorix, then pain.")
    set_entities(first, [Entity("DRUG", ((0, 1),))])
    set_entities(second, [Entity("ADE", ((3, 4),)), Entity("DRUG", ((0, 1),))])
    return [first, second]


def test_types_get_their_colours_as_they_appear(docs, tmp_path):
    assert write_html(iter(docs), tmp_path / "a.html") == 2
    html = (tmp_path / "a.html").read_text()
    legend = re.findall(r'<li><i style="color: (\S+)"></i>(\w+)</li>', html)
    assert legend == [(PALETTE[0], "DRUG"), (PALETTE[1], "ADE")]
    assert html.index("legend") < html.index("Brenorix")
    assert html.count('class="doc"') == 2
    assert html.endswith("</html>")


def test_a_page_is_whole_or_not_there(docs, tmp_path):
    def broken():
        yield (docs[0],)
        raise GapDNERError("broken")

    with pytest.raises(GapDNERError):
        write_columns(broken(), tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []


def test_no_documents(tmp_path):
    assert write_html([], tmp_path / "a.html") == 0
    assert "<h1>Entities</h1>" in (tmp_path / "a.html").read_text()


def test_colours_are_checked_before_anything_is_read(tmp_path):
    with pytest.raises(GapDNERError, match="colour 'no; colour'"):
        draw(tmp_path / "missing", tmp_path / "a.html", colors={"A": "no; colour"})
