import re
from base64 import b64encode
from hashlib import sha256

from markupsafe import Markup

from spacy_gapdner.drawing.page import Shaded, render_page, render_table


def test_tables():
    table = render_table(("Type", "F1"), [("<b>", Shaded("60.4", 0.60426)), ("c", 7)])
    assert re.findall("<tr>(<td.*?)</tr>", table) == [
        '<td class="text">&lt;b&gt;</td><td style="--share: 0.604">60.4</td>',
        '<td class="text">c</td><td>7</td>',
    ]


def test_a_page():
    page = render_page("a <b> & c", Markup("<p>body</p>"), "td > b {}", "alert(1 < 2);")
    for tag in ("title", "h1"):
        assert f"<{tag}>a &lt;b&gt; &amp; c</{tag}>" in page
    assert "<p>body</p>" in page
    assert "td > b {}" in page
    # only the script of the page can run
    assert "<script>alert(1 < 2);</script>" in page
    digest = b64encode(sha256(b"alert(1 < 2);").digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
