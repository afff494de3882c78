from markupsafe import Markup

from spacy_gapdner.drawing.page import figure_bytes, inline_svg, new_figure, render_page


def draw():
    figure = new_figure(3, 2)
    figure.add_subplot().plot([1, 2], [3, 4])
    return figure


def test_titles_are_escaped_and_the_body_is_kept():
    page = render_page("a <b> & c", Markup("<p>body</p>"), css="td > b { color: red; }")
    assert "<title>a &lt;b&gt; &amp; c</title>" in page
    assert "<h1>a &lt;b&gt; &amp; c</h1>" in page
    assert "<p>body</p>" in page
    assert "td > b { color: red; }" in page


def test_pages_load_nothing():
    page = render_page("t", inline_svg(draw()))
    assert "<script" not in page
    assert "<link" not in page
    assert "@import" not in page
    assert "src=" not in page


def test_the_same_figure_gives_the_same_bytes():
    assert figure_bytes(draw(), "svg") == figure_bytes(draw(), "svg")
    assert figure_bytes(draw(), "png").startswith(b"\x89PNG")


def test_inline_svg_is_an_element():
    svg = inline_svg(draw())
    assert svg.startswith("<svg")
    assert svg.rstrip().endswith("</svg>")


def test_no_name_is_taken_for_a_formula():
    figure = draw()
    figure.axes[0].set_title("$x^$")
    figure.axes[0].plot([1, 2], [4, 3], label=r"$\unknown$")
    figure.legend(loc="outside upper left")
    svg = figure_bytes(figure, "svg").decode()
    assert "$x^$" in svg
    assert r"$\unknown$" in svg
