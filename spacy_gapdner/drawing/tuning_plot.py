"""A picture of what a threshold trades: precision against recall, and both F1."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import GapDNERError
from ..formats.outputs import replacing
from .page import figure_bytes, new_figure

if TYPE_CHECKING:
    from ..analysis.tuning import Tuning

_SUFFIXES = (".png", ".svg")


def check_picture(path: Path) -> None:
    """Find out whether a picture can have a name.

    path (Path): The file.
    RAISES (GapDNERError): If its ending is not that of a picture.
    """
    if path.suffix not in _SUFFIXES:
        raise GapDNERError(f"{path} must end in {', '.join(_SUFFIXES)}, which says its format.")


def plot_tuning(tuning: "Tuning", path: Path) -> None:
    """Draw the scores by threshold, of all entities and of discontinuous ones alone, with lines at
    the new thresholds.

    tuning (Tuning): The tuning.
    path (Path): The file; its ending says the format.
    """
    figure = new_figure(9, 3.6)
    thresholds = [threshold for threshold, _ in tuning.curve]
    for axes, prefix, title in zip(
        figure.subplots(1, 2, sharey=True),
        ("", "disc_"),
        ("All entities", "Discontinuous entities alone"),
        strict=True,
    ):
        for name, label, style in (
            ("p", "precision", "--"),
            ("r", "recall", ":"),
            ("f", "F1", "-"),
        ):
            values = [100 * getattr(scores, prefix + name) for _, scores in tuning.curve]
            axes.plot(thresholds, values, style, label=label)
        if tuning.settings:
            chosen = tuning.settings[f"{prefix}threshold"]
            axes.axvline(chosen, color="grey", linewidth=0.8)
        axes.set(title=title, xlabel="threshold", xlim=(0, 1), ylim=(0, 100))
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    with replacing(path) as temporary:
        temporary.write_bytes(figure_bytes(figure, path.suffix[1:]))
