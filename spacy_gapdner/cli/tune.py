"""tune: choose thresholds and calibration of a trained pipeline on development data."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from . import _options as options
from ._printing import msg, percent, print_line, print_reliability, print_table
from ._util import split_list

if TYPE_CHECKING:
    from ..analysis.tuning import Scores, Tuning


_COLUMNS = {
    "P": "p",
    "R": "r",
    "F": "f",
    "Disc. P": "disc_p",
    "Disc. R": "disc_r",
    "Disc. F": "disc_f",
    "Comb.": "combined",
    "Calib. error": "calibration_error",
    "Disc. error": "disc_calibration_error",
}


def tune_cli(
    model: str = options.MODEL,
    data: Path = options.DATA,
    output_path: Path | None = options.output(
        help="Folder for the tuned pipeline; can be the same as MODEL"
    ),
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
    calibrate: bool = typer.Option(
        True, "--calibrate/--no-calibrate", help="Calibrate scores to probabilities"
    ),
    json_path: Path | None = typer.Option(
        None, "--json", help="JSON file for the curve and the chosen settings"
    ),
    plot_path: Path | None = typer.Option(
        None, "--plot", help="Plot of the curve as .png or .svg file"
    ),
    types: str | None = options.TYPES,
    spans_key: str | None = options.GOLD_KEY,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Choose thresholds and calibration on development data.

    Calibration converts scores to probabilities. New thresholds are only used if they improve the
    cross-validated measure in 90% of bootstrap samples."""
    from ..analysis.pipes import load_recognizer
    from ..analysis.tuning import tune
    from ..formats import find_format, load_docs
    from ..formats.outputs import check_output, check_replaceable, replacing_folder, write_json

    # the output may replace the input pipeline
    check_output(output_path, {"data": data}, is_file=False)
    others: dict[str, str | Path | None] = {"data": data, "model": model, "output": output_path}
    check_output(plot_path, others)
    check_output(json_path, {**others, "plot": plot_path})
    if output_path is not None:
        check_replaceable(output_path, must_hold="meta.json")
    if plot_path is not None:
        from ..drawing.tuning_plot import check_picture, plot_tuning

        check_picture(plot_path)
    find_format(data)
    nlp, pipe = load_recognizer(model, spans_key=spans_key, gpu_id=gpu_id)
    tuning = tune(
        nlp,
        load_docs(nlp, data, spans_key or pipe.key, types=split_list(types)),
        spans_key=spans_key,
        measure=measure,
        min_precision=min_precision,
        min_recall=min_recall,
        per_type=per_type,
        calibrate=calibrate,
        batch_size=batch_size,
    )
    if json_path is not None:
        write_json(tuning.to_dict(), json_path)
    if plot_path is not None:
        plot_tuning(tuning, plot_path)
    if output_path is not None:
        with replacing_folder(output_path) as folder:
            nlp.to_disk(folder)
    _print_tuning(tuning, measure)
    if not (min_precision <= (tuning.after.p or 0.0) and min_recall <= tuning.after.r):
        msg.warn("No threshold reaches the minimum precision or recall. The closest was chosen.")
    if not tuning.settings:
        msg.info("No settings improve the pipeline. It is unchanged.")
    if output_path is None:
        msg.info("The pipeline was not saved. Use --output to save it.")
    else:
        msg.good(f"{'Tuned' if tuning.settings else 'Unchanged'} pipeline: {output_path}")


def _print_tuning(tuning: "Tuning", measure: str) -> None:
    rows = [_row(f"{threshold:.2f}", scores) for threshold, scores in tuning.curve]
    print_table(rows, ("Threshold", *_COLUMNS))
    print_reliability(tuning.reliability)
    named = {
        "before": tuning.before,
        "cross-validated": tuning.estimated,
        "after, on this data": tuning.after,
    }
    print_table([_row(*item) for item in named.items()], ("Settings", *_COLUMNS))
    gain = (
        f"{100 * tuning.gain:+.2f} {measure} in cross-validation, above 0 in "
        f"{100 * tuning.gain_share:.0f}% of samples"
    )
    if tuning.new_thresholds:
        print_line(f"Thresholds: new ({gain})")
    else:
        print_line(f"Thresholds: unchanged (new thresholds: {gain})")
    if tuning.calibrated:
        print_line("Calibration: new")
    else:
        print_line("Calibration: unchanged, because it does not lower the error or is turned off")
    if tuning.settings:
        print_line(f"Threshold for contiguous entities: {tuning.settings['threshold']:.2f}")
        print_line(f"Threshold for discontinuous entities: {tuning.settings['disc_threshold']:.2f}")
        for label, threshold in tuning.settings["type_thresholds"].items():
            print_line(f"Threshold for contiguous {label} entities: {threshold:.2f}")


def _row(name: str, scores: "Scores") -> tuple[str, ...]:
    values = (getattr(scores, field) for field in _COLUMNS.values())
    return (name, *map(percent, values))
