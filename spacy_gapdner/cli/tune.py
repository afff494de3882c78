"""tune: choose thresholds and calibration of a trained pipeline on development data."""

from pathlib import Path
from typing import Literal

import typer

from .. import analysis, formats
from . import _options as options
from ._util import msg, percent, print_line, print_table

_ROWS = {
    "P": "p",
    "R": "r",
    "F": "f",
    "Discontinuous P": "disc_p",
    "Discontinuous R": "disc_r",
    "Discontinuous F": "disc_f",
    "Combined": "combined",
    "Calibration error": "calibration_error",
    "Discontinuous calibration error": "disc_calibration_error",
}


def tune_cli(
    model: str = options.MODEL,
    data: Path = options.DATA,
    output_path: Path | None = options.output(
        help="Folder for the tuned pipeline; can be MODEL with --force"
    ),
    force: bool = options.FORCE,
    measure: Literal["combined", "f", "disc_f"] = typer.Option(
        "combined",
        "--measure",
        "-m",
        help="F1 of all entities, F1 of discontinuous entities, or the weighted sum of both that "
        "training uses",
    ),
    min_precision: float = typer.Option(0.0, min=0, max=1, help="Minimum precision"),
    min_recall: float = typer.Option(0.0, min=0, max=1, help="Minimum recall"),
    per_type: bool = typer.Option(
        False, "--per-type", help="Choose a threshold for each type with at least 20 gold entities"
    ),
    spans_key: str | None = options.GOLD_KEY,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Choose thresholds and calibration on development data.

    Calibration converts scores to probabilities. New thresholds are used only if they improve the
    cross-validated measure in at least 90% of bootstrap samples, or come closer to the minimums."""
    from ..analysis.tuning import LEAST_SHARE
    from ..formats.outputs import check_output, filling
    from ..inference.loading import load_recognizer

    # the output may replace the input pipeline
    check_output(output_path, {"data": data}, force=force, is_file=False)
    formats.guess_format(data)
    nlp, pipe = load_recognizer(model, gold_key=spans_key, gpu_id=gpu_id)
    docs = formats.load_docs(nlp, data, spans_key or pipe.key)
    tuning = analysis.tune(
        nlp,
        docs,
        spans_key=spans_key,
        measure=measure,
        min_precision=min_precision,
        min_recall=min_recall,
        per_type=per_type,
        batch_size=batch_size,
    )
    if output_path is not None:
        with filling(output_path) as folder:
            nlp.to_disk(folder)
    columns = tuning.before, tuning.estimated, tuning.after
    rows = [(title, *(percent(scores[key]) for scores in columns)) for title, key in _ROWS.items()]
    print_table(rows, ("", "before", "cross-validated", "after"))
    gain = f"{100 * tuning.gain:+.2f} {measure} in cross-validation"
    share = f"better in {tuning.gain_share:.0%} of resamples"
    change = f"new ({gain}, {share})"
    if not tuning.new_thresholds:
        change = f"unchanged (new thresholds: {gain}, {share}; {LEAST_SHARE:.0%} required)"
    print_line(f"Thresholds: {change}")
    print_line(f"Calibration: {'new' if tuning.calibrated else 'unchanged'}")
    for name, value in tuning.settings.items():
        print_line(f"{name} = {value}")
    minimums = (("precision", "p", min_precision), ("recall", "r", min_recall))
    below = [
        f"{name} is {percent(tuning.estimated[key])}, below the minimum of {percent(least)}"
        for name, key, least in minimums
        if tuning.estimated[key] < least
    ]
    if tuning.settings and any(tuning.after[key] < least for _, key, least in minimums):
        msg.warn("No threshold reaches the minimum precision or recall. The closest was chosen.")
    elif tuning.new_thresholds and below:
        reached = f"In cross-validation, {' and '.join(below)}."
        msg.warn(f"{reached} Set a higher minimum, or tune on more data.")
    if not tuning.settings:
        msg.info("No new settings improve the pipeline, so it is unchanged.")
    if output_path is None:
        msg.info("The pipeline was not saved. Use --output to save it.")
    else:
        msg.good(f"{'Tuned' if tuning.settings else 'Unchanged'} pipeline: {output_path}")
