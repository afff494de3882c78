from base64 import b64encode
from hashlib import sha256

from markupsafe import Markup

from spacy_gapdner.drawing.page import render_page
from spacy_gapdner.drawing.plots import inline_svg, new_figure


def test_a_page_with_a_plot():
    figure = new_figure(3, 2)
    figure.add_subplot().set_title(r"$\unknown$")
    page = render_page("a <b> & c", Markup("<p>body</p>") + inline_svg(figure), css="td > b {}")
    for tag in ("title", "h1"):
        assert f"<{tag}>a &lt;b&gt; &amp; c</{tag}>" in page
    assert "<p>body</p><svg" in page
    # names are not formulas
    assert r"$\unknown$" in page
    assert "td > b {}" in page
    assert not any(word in page for word in ("<script", "<link", "@import", "src="))


def test_only_the_script_of_a_page_can_run():
    assert "script-src" not in render_page("a", Markup(""))
    page = render_page("a", Markup(""), script="alert(1 < 2);")
    assert "<script>alert(1 < 2);</script>" in page
    digest = b64encode(sha256(b"alert(1 < 2);").digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
