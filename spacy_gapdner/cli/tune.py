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
    output_path: Path | None = options.output(help="Output folder; can be MODEL with --force"),
    force: bool = options.FORCE,
    measure: Literal["combined", "f", "disc_f"] = typer.Option(
        "combined",
        "--measure",
        "-m",
        help="F1 for all entities, F1 for discontinuous entities, or the weighted sum of both that "
        "training uses",
    ),
    min_precision: float = typer.Option(0.0, min=0, max=1, help="Minimum precision"),
    min_recall: float = typer.Option(0.0, min=0, max=1, help="Minimum recall"),
    spans_key: str | None = options.GOLD_KEY,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Choose thresholds and calibration on development data.

    Calibration converts scores to probabilities. The pipeline is unchanged if the cross-validated
    measure would be lower, unless the new settings come closer to the minimums. It is also
    unchanged if they miss the minimums by more."""
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
        batch_size=batch_size,
    )
    if output_path is not None:
        with filling(output_path) as folder:
            nlp.to_disk(folder)
    columns = tuning.before, tuning.estimated, tuning.after
    rows = [(title, *(percent(scores[key]) for scores in columns)) for title, key in _ROWS.items()]
    print_table(rows, ("", "before", "cross-validated", "after"))
    for name, value in tuning.settings.items():
        print_line(f"{name} = {value}")
    for name, key, least in (("precision", "p", min_precision), ("recall", "r", min_recall)):
        if tuning.settings and tuning.estimated[key] < least:
            msg.warn(
                f"In cross-validation, {name} is {percent(tuning.estimated[key])}, below the "
                f"minimum of {percent(least)}. If it cannot be reached, the closest thresholds are "
                "chosen."
            )
    if not tuning.settings:
        gain = 100 * (tuning.estimated[measure] - tuning.before[measure])
        msg.info(
            f"The pipeline is unchanged: new settings would change {measure} by {gain:+.2f} in "
            "cross-validation."
        )
    if output_path is None:
        msg.info("The pipeline was not saved. Use --output to save it.")
    else:
        msg.good(f"{'Tuned' if tuning.settings else 'Unchanged'} pipeline: {output_path}")
