"""draw: show annotated text, or the predictions of a trained pipeline."""

from pathlib import Path
from typing import Any

import typer

from .. import drawing, formats
from ..errors import GapDNERError
from . import _options as options
from ._util import counted, msg, print_report, split_list


def draw_cli(
    input_path: Path = typer.Argument(
        metavar="INPUT",
        help="Annotated data in any format that convert reads; with --model also raw text in any "
        "format that predict reads",
    ),
    output_path: Path | None = options.output(help="HTML file (default: print to the terminal)"),
    force: bool = options.FORCE,
    model: str | None = typer.Option(
        None, help="Trained pipeline, to compare its predictions with the annotation"
    ),
    format: str | None = options.format(help="Input format, see convert (default: detected)"),
    types: str | None = options.TYPES,
    lang: str | None = options.DATA_LANG,
    spans_key: str | None = options.spans_key(help="Prefix of the span groups with the entities"),
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Draw entities in the terminal or as an HTML page.

    Fragments are underlined with solid lines, gaps with dotted lines. In the terminal, "+" marks
    predictions that are not annotated, and "-" marks annotations that are not predicted."""
    from ..formats.outputs import check_output
    from ..inference.loading import load_recognizer

    check_output(output_path, {"input": input_path, "model": model}, force=force)
    if model is None and threshold is not None:
        raise GapDNERError("--threshold requires --model.")
    report = formats.Report()
    settings: dict[str, Any] = {"format": format, "lang": lang, "spans_key": spans_key}
    settings |= {"types": split_list(types), "batch_size": batch_size, "report": report}
    if model is not None:
        how: dict[str, Any] = {"gold_key": spans_key, "threshold": threshold, "gpu_id": gpu_id}
        settings["nlp"], _ = load_recognizer(model, **how)
    n_docs = drawing.draw(input_path, output_path, **settings)
    print_report(report)
    if output_path is not None:
        msg.good(counted(n_docs, "Doc"))
        print(output_path)
