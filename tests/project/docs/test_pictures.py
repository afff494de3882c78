"""The pictures of the documentation."""

import re

import pytest

from project.docs import pictures


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_every_picture_has_a_text(name):
    html = pictures.PICTURES[name]()
    assert re.search(r'aria-label=|title=".+?: .+?"', html)
    assert "http" not in html
