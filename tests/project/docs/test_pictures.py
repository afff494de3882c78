"""The pictures of the documentation."""

import re

import pytest

from project.docs import pictures


def listed(html):
    return list(dict.fromkeys(re.findall(r'title="(.+?): (.+?)"', html)))


def test_scores():
    html = pictures.draw_scores()
    cells = re.findall(r'<td class="([^"]*)">([^<]+)</td>', html)
    assert cells == [
        *(("frag", "Frag 0.96"), ("gap weakest", "Gap 0.71"), ("frag", "Frag 0.97")),
        *(("type", "ADE 0.94"), ("type weakest", "ADE 0.88"), ("frag", "Frag 0.90")),
    ]
    assert listed(html) == [("ADE 0.71", "joint … pain"), ("ADE 0.88", "back pain")]


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_every_picture_has_a_text(name):
    html = pictures.PICTURES[name]()
    assert "aria-label=" in html or listed(html)
    assert "http" not in html
