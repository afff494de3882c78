"""Plot of precision, recall and F1 by threshold."""

from pathlib import Path

from ..analysis.tuning import Tuning
from ..errors import GapDNERError
from ..formats.outputs import replacing
from .plots import figure_bytes, has_plots, new_figure

_LINES = {"p": ("precision", "--"), "r": ("recall", ":"), "f": ("F1", "-")}
_PANELS = {"": "contiguous", "disc_": "discontinuous"}


def check_picture(path: Path) -> None:
    """Raise an error if plots are not available, or the file extension is not supported."""
    if not has_plots():
        raise ImportError(
            "Plots require matplotlib. Install it with pip install 'spacy-gapdner[plots]'."
        )
    if path.suffix not in (".png", ".svg"):
        raise GapDNERError(f"Invalid file name for a plot: {path}. Use .png or .svg.")


def plot_tuning(tuning: Tuning, path: Path) -> None:
    """Plot the scores by threshold and mark the new thresholds.

    tuning (Tuning): The result of tuning.
    path (Path): The .png or .svg file.
    """
    figure = new_figure(9, 3.6)
    thresholds = [threshold for threshold, _ in tuning.curve]
    for axes, (prefix, kind) in zip(
        figure.subplots(1, 2, sharey=True), _PANELS.items(), strict=True
    ):
        for name, (label, style) in _LINES.items():
            values = [100 * scores[prefix + name] for _, scores in tuning.curve]
            axes.plot(thresholds, values, style, label=label)
        if tuning.settings:
            note = f"new threshold for\n{kind} entities"
            new = tuning.settings[f"{prefix}threshold"]
            axes.axvline(new, color="grey", linewidth=0.8, label=note)
        title = "Discontinuous entities" if prefix else "All entities"
        axes.set(title=title, xlabel="threshold", xlim=(0, 1), ylim=(0, 100))
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(edgecolor="none", framealpha=1, fontsize=9)
    with replacing(path) as temporary:
        temporary.write_bytes(figure_bytes(figure, path.suffix[1:]))
