"""tune: thresholds and calibration of a trained pipeline, chosen on development data."""

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
        help="Folder for the tuned pipeline; may be MODEL itself"
    ),
    measure: Literal["combined", "f", "disc_f"] = typer.Option(
        "combined",
        "--measure",
        "-m",
        help="F1 of all entities, of discontinuous ones alone, or both as training weighs them",
    ),
    min_precision: float = typer.Option(
        0.0, min=0, max=1, help="Best measure at this precision or more"
    ),
    min_recall: float = typer.Option(0.0, min=0, max=1, help="Best measure at this recall or more"),
    per_type: bool = typer.Option(
        False, "--per-type", help="A threshold for every type with 20 gold entities or more"
    ),
    calibrate: bool = typer.Option(
        True, "--calibrate/--no-calibrate", help="Turn scores into probabilities"
    ),
    json_path: Path | None = typer.Option(
        None, "--json", help="JSON file for the curve and all that was chosen"
    ),
    plot_path: Path | None = typer.Option(
        None, "--plot", help="Picture of the curve: .png or .svg"
    ),
    types: str | None = options.TYPES,
    spans_key: str | None = options.GOLD_KEY,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Choose thresholds and calibration on development data.

    The calibration turns scores into probabilities. New thresholds must gain in 90% of
    resamples of the documents, by cross-validation."""
    from ..analysis.pipes import load_recognizer
    from ..analysis.tuning import tune
    from ..formats import find_format, load_docs
    from ..formats.outputs import check_output, check_replaceable, replacing_folder, write_json

    # the pipeline may be replaced, by another pipeline
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
        msg.warn("No threshold reaches the precision or recall asked for: the closest was taken.")
    if not tuning.settings:
        msg.info("Nothing gains: the pipeline is best as it is, and stays so.")
    if output_path is None:
        msg.info("Nothing was saved. Give --output to save the pipeline.")
    else:
        msg.good(f"{'Tuned' if tuning.settings else 'Unchanged'} pipeline: {output_path}")


def _print_tuning(tuning: "Tuning", measure: str) -> None:
    rows = [_row(f"{threshold:.2f}", scores) for threshold, scores in tuning.curve]
    print_table(rows, ("Threshold of all", *_COLUMNS))
    print_reliability(tuning.reliability)
    named = {
        "before": tuning.before,
        "cross-validated": tuning.estimated,
        "now, on these data": tuning.after,
    }
    print_table([_row(*item) for item in named.items()], ("Settings", *_COLUMNS))
    gain = (
        f"{100 * tuning.gain:+.2f} {measure} by cross-validation, above 0 in "
        f"{100 * tuning.gain_share:.0f}% of resamples"
    )
    if tuning.new_thresholds:
        print_line(f"Thresholds: new ({gain})")
    else:
        print_line(f"Thresholds: the same entities count as before (with new ones: {gain})")
    if tuning.calibrated:
        print_line("Calibration: new")
    else:
        print_line("Calibration: as before, as a new one lowers no error or was not asked for")
    if tuning.settings:
        print_line(f"Threshold of contiguous entities: {tuning.settings['threshold']:.2f}")
        print_line(f"Threshold of discontinuous entities: {tuning.settings['disc_threshold']:.2f}")
        for label, threshold in tuning.settings["type_thresholds"].items():
            print_line(f"Threshold of contiguous {label}: {threshold:.2f}")


def _row(name: str, scores: "Scores") -> tuple[str, ...]:
    values = (getattr(scores, field) for field in _COLUMNS.values())
    return (name, *map(percent, values))
