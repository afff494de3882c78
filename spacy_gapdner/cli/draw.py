"""draw: show annotated text, or the predictions of a trained pipeline."""

import re
from pathlib import Path

import typer

from . import _options as options
from ._printing import msg, print_report
from ._util import counted, split_list, split_pairs


def draw_cli(
    input_path: Path = typer.Argument(
        ...,
        metavar="INPUT",
        help="Annotated data in any format that convert reads; with --model also raw text in any "
        "format that predict reads",
        allow_dash=True,
    ),
    output_path: Path | None = options.output(
        help="HTML file to write (default: print to the terminal)"
    ),
    model: str | None = typer.Option(
        None, help="Trained pipeline, to compare its predictions with the annotation"
    ),
    format: str | None = options.format(help="Input format, see convert (default: detected)"),
    types: str | None = typer.Option(
        None, help="Comma-separated types to show, e.g. ADR,Drug (default: all)"
    ),
    colors: str | None = typer.Option(None, help="Colors of types, e.g. ADR=#d55e00,Drug=teal"),
    lang: str = options.lang(help="Language of the tokenizer if there is no --model"),
    spans_key: str | None = options.spans_key(help="Prefix of the span groups with the entities"),
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Draw entities in the terminal or as an HTML page.

    Fragments are underlined with solid lines, gaps with dotted lines. In the terminal, "+" marks
    predictions that are not annotated, and "-" marks annotations that are not predicted."""
    from ..analysis.pipes import load_recognizer
    from ..drawing.documents import draw
    from ..formats import Report
    from ..formats.outputs import check_output

    check_output(output_path, {"input": input_path, "model": model})
    nlp = None
    if model is not None:
        nlp, _ = load_recognizer(model, spans_key=spans_key, threshold=threshold, gpu_id=gpu_id)
    # rgb(...) contains commas, too
    given_colors = re.split(r",(?=[^,=]+=)", colors) if colors else []
    report = Report()
    n_docs = draw(
        input_path,
        output_path,
        nlp=nlp,
        format=format,
        types=split_list(types),
        lang=lang,
        spans_key=spans_key,
        colors=split_pairs(given_colors, "--colors", "TYPE=COLOR,TYPE=COLOR"),
        batch_size=batch_size,
        report=report,
    )
    print_report(report)
    if output_path is not None:
        msg.good(counted(n_docs, "document"))
        print(output_path)
