from project.paper.plots import inline_svg, new_figure


def test_an_inline_plot():
    figure = new_figure(3, 2)
    figure.add_subplot().set_title(r"$\unknown$")
    svg = inline_svg(figure)
    assert svg.startswith("<svg")
    # names are not formulas
    assert r"$\unknown$" in svg
    assert "<metadata" not in svg
