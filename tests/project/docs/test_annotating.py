"""The annotated examples can be converted, and contain the listed entities."""

import re

import pytest
from pages import read_page

from spacy_gapdner import get_entities, read
from spacy_gapdner.formats import convert

PAGE = read_page("annotating.md")
EXAMPLES = re.findall(r"```{gapdner-example}\n(.+?)```\n\n→ ([^\n]+)\n", PAGE, flags=re.DOTALL)


def test_every_example_lists_its_entities():
    assert len(EXAMPLES) == PAGE.count("{gapdner-example}") == PAGE.count("→ ") > 15


@pytest.mark.parametrize(
    ("example", "named"), EXAMPLES, ids=[e.split("\n")[0] for e, _ in EXAMPLES]
)
def test_example(example, named, write, report):
    folder = write({"example.inline": f"{example}\n"})
    expected = sorted(re.findall(r"\*(.+?)\*", named))
    # to brat and back
    convert(folder / "example.inline", folder / "brat", strict=True)
    (doc,) = read(folder / "brat", n_sents=0, report=report)
    assert report.issues == []
    assert sorted(entity.text for entity in get_entities(doc)) == expected
