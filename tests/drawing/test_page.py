from base64 import b64encode
from hashlib import sha256

from markupsafe import Markup

from spacy_gapdner.drawing.page import render_page


def test_page():
    page = render_page("a <b> & c", Markup("<p>body</p>"), "td > b {}", "alert(1 < 2);")
    for tag in ("title", "h1"):
        assert f"<{tag}>a &lt;b&gt; &amp; c</{tag}>" in page
    assert "<p>body</p>" in page
    assert "td > b {}" in page
    # only the script of the page can run
    assert '<script type="module">alert(1 < 2);</script>' in page
    digest = b64encode(sha256(b"alert(1 < 2);").digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
