"""Matplotlib plots as files or in HTML pages."""

import re
from hashlib import sha256
from io import BytesIO

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.text import Text


def new_figure(width: float, height: float) -> Figure:
    """RETURNS (Figure): An empty figure of this size in inches. No display is required."""
    return Figure(figsize=(width, height), layout="constrained")


def figure_bytes(figure: Figure, format: str, *, transparent: bool = False) -> bytes:
    """RETURNS (bytes): A figure as "svg" or "png". The result is reproducible."""
    # names may contain dollar signs, but are not formulas
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    buffer = BytesIO()
    # by default, SVG files contain random ids and the date
    metadata = {"Date": None} if format == "svg" else {}
    with rc_context({"svg.hashsalt": "spacy-gapdner", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=format, metadata=metadata, dpi=144, transparent=transparent)
    return buffer.getvalue()


def inline_svg(figure: Figure) -> Markup:
    """RETURNS (Markup): A figure as `<svg>` element without metadata."""
    svg = figure_bytes(figure, "svg", transparent=True).decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # ids must be unique in a page
    name = sha256(svg.encode()).hexdigest()[:8]
    return Markup(re.sub(r'( id="|href="#|url\(#)', rf"\g<1>f{name}-", svg))
