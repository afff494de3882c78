"""Plots with matplotlib, as files or as part of HTML pages."""

import re
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def has_plots() -> bool:
    """RETURNS (bool): Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def check_plots() -> None:
    """Raise an ImportError if matplotlib is not installed, before any work for plots is done."""
    if not has_plots():
        raise ImportError("Plots need matplotlib: pip install 'spacy-gapdner[plots]'.")


def new_figure(width: float, height: float) -> "Figure":
    """RETURNS (Figure): An empty matplotlib figure of this size in inches; no display is needed."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def figure_bytes(figure: "Figure", format: str, *, transparent: bool = False) -> bytes:
    """RETURNS (bytes): A figure as "svg" or "png", reproducible, with or without a background."""
    from matplotlib import rc_context
    from matplotlib.text import Text

    # names of types and models are no formulas, even between dollar signs
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    buffer = BytesIO()
    # by default, ids of SVG elements are random, and the date is saved
    metadata = {"Date": None} if format == "svg" else {}
    with rc_context({"svg.hashsalt": "spacy-gapdner", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=format, metadata=metadata, dpi=144, transparent=transparent)
    return buffer.getvalue()


def inline_svg(figure: "Figure") -> Markup:
    """RETURNS (Markup): A figure as `<svg>` for HTML, without XML declaration and metadata."""
    svg = figure_bytes(figure, "svg", transparent=True).decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # ids must differ between the figures of a page
    name = sha256(svg.encode()).hexdigest()[:8]
    return Markup(re.sub(r'( id="|href="#|url\(#)', rf"\g<1>f{name}-", svg))
