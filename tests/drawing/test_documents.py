"""Pages written document by document: what stands where, and what is left when it fails."""

import re

import pytest
import spacy

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.drawing.colors import choose_colors
from spacy_gapdner.drawing.documents import write_documents, write_html
from spacy_gapdner.errors import GapDNERError


@pytest.fixture
def docs():
    nlp = spacy.blank("en")
    first, second = nlp("No pain."), nlp("Naproxen, then pain.")
    set_entities(first, [Entity("DRUG", ((0, 1),))])
    set_entities(second, [Entity("ADE", ((3, 4),)), Entity("DRUG", ((0, 1),))])
    return [first, second]


def test_one_legend_with_the_colors_of_all_types(docs, tmp_path):
    assert write_html(iter(docs), tmp_path / "a.html") == 2
    html = (tmp_path / "a.html").read_text()
    legend = re.findall(r'<li><i style="border-color: (\S+)"></i>(\w+)</li>', html)
    colors = choose_colors(["ADE", "DRUG"])
    assert [(label, color) for color, label in legend] == list(colors.items())
    assert html.index("legend") < html.index("Naproxen")
    # the types in the order in which they appear
    assert f'style="--type-0: {colors["DRUG"]}; --type-1: {colors["ADE"]}"' in html
    assert re.findall(r'"border-color: var\(--type-(\d)\)"', html) == ["0", "0", "1"]
    assert html.count('class="doc"') == 2
    assert html.rstrip().endswith("</html>")


def test_a_page_is_whole_or_not_there(docs, tmp_path):
    def broken():
        yield (docs[0],)
        raise GapDNERError("broken")

    with pytest.raises(GapDNERError):
        write_documents(broken(), tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []
