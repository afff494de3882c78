"""The pictures show what their sentences are made of, read off by hand."""

import re

import pytest

from project.docs import pictures


def grid(html):
    """The cells that hold something, by the words of row and column."""
    words = re.findall(r'<th scope="col">(.+?)</th>', html)
    rows = re.findall(r'<th scope="row">(.+?)</th>(.+?)</tr>', html, re.DOTALL)
    assert [word for word, _ in rows] == words
    found = {}
    for word, cells in rows:
        parts = re.findall(r'<td class="(.*?)">(.*?)</td>', cells)
        assert len(parts) == len(words)
        found |= {(word, words[i]): part for i, part in enumerate(parts) if part[1]}
    return found


def listed(html):
    return list(dict.fromkeys(re.findall(r'title="(.+?): (.+?)"', html)))


def test_scores():
    html = pictures.draw_scores()
    assert grid(html) == {
        ("joint", "joint"): ("frag", "Frag 0.96"),
        ("and", "back"): ("gap weakest", "Gap 0.71"),
        ("pain", "pain"): ("frag", "Frag 0.90"),
        ("pain", "joint"): ("type", "ADE 0.94"),
        ("back", "pain"): ("frag", "Frag 0.97"),
        ("pain", "back"): ("type weakest", "ADE 0.88"),
    }
    assert listed(html) == [("ADE 0.71", "joint … pain"), ("ADE 0.88", "back pain")]


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_every_picture_has_a_text(name):
    html = pictures.PICTURES[name]()
    assert "aria-label=" in html or listed(html)
    assert "http" not in html
