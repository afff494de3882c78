"""draw: annotated text, or the entities that a trained pipeline finds in a text."""

import re
from pathlib import Path

import typer

from ..errors import GapDNERError
from . import _options as options
from ._printing import msg, print_report
from ._util import counted, split_list


def draw_cli(
    input_path: Path = typer.Argument(
        ...,
        metavar="INPUT",
        help="Annotated file or folder as convert takes them; with --model also raw text as "
        "predict takes it",
        allow_dash=True,
    ),
    output_path: Path | None = options.output(
        help="HTML page to write; if not given, the entities are printed"
    ),
    model: str | None = typer.Option(
        None, help="Trained pipeline, whose predictions are compared with the annotation"
    ),
    format: str | None = options.format(help="The input's, see convert; guessed if not given"),
    types: str | None = typer.Option(
        None, help="Annotated types to draw, e.g. ADR,Drug; all if not given"
    ),
    colors: str | None = typer.Option(None, help="Colors of types, e.g. ADR=#d55e00,Drug=teal"),
    lang: str = options.lang(help="Language of the tokenizer where there is no --model"),
    spans_key: str | None = options.spans_key(
        help="Prefix of the span groups that hold the entities"
    ),
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Draw entities on the terminal or as a page for the browser.

    Lines are solid under fragments, and dotted under gaps. In the terminal, "+" marks predictions
    that are not annotated, and "-" annotations that are not predicted."""
    from ..analysis.pipes import load_recognizer
    from ..drawing.documents import draw
    from ..formats import Report
    from ..formats.outputs import check_output

    check_output(output_path, {"input": input_path, "model": model})
    nlp = None
    if model is not None:
        nlp, _ = load_recognizer(model, spans_key=spans_key, threshold=threshold, gpu_id=gpu_id)
    report = Report()
    n_docs = draw(
        input_path,
        output_path,
        nlp=nlp,
        format=format,
        types=split_list(types),
        lang=lang,
        spans_key=spans_key,
        colors=_parse_colors(colors or ""),
        batch_size=batch_size,
        report=report,
    )
    print_report(report)
    if output_path is not None:
        msg.good(counted(n_docs, "document"))
        print(output_path)


def _parse_colors(text: str) -> dict[str, str]:
    # commas stand in rgb(...) too
    pairs = [pair.partition("=") for pair in re.split(r",(?=[^,=]+=)", text) if pair.strip()]
    if any(not separator for _, separator, _ in pairs):
        raise GapDNERError(f"--colors takes TYPE=COLOR,TYPE=COLOR, not {text!r}.")
    return {label.strip(): color.strip() for label, _, color in pairs}
