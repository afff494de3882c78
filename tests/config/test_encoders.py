"""The list of encoders, and the same in the documents."""

import re
from pathlib import Path

from spacy_gapdner.config.encoders import ENCODERS, find_encoder

PAGE = (Path(__file__).parents[2] / "configs" / "README.md").read_text(encoding="utf8")


def test_encoders_are_found_by_name():
    for encoder in ENCODERS:
        assert find_encoder(encoder.name) is encoder
    assert find_encoder("some/other") is None


def test_the_documents_say_the_same():
    rows = re.findall(r"^\| `([\w./-]+)` \| (.+?) \| (\d+) M \| \[(.+?)\]\((.+?)\) \|", PAGE, re.M)
    assert rows == [(e.name, e.use, str(e.parameters), e.license, e.source) for e in ENCODERS]
