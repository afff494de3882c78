"""attention: what a trained model attends to in a text."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from . import _options as options
from ._printing import msg, print_line, print_table
from ._util import check_folder

if TYPE_CHECKING:
    from ..analysis.attention import AttentionReport

_PAGE = "attention.html"
_FORMATS = ("png", "svg")
# rows of a printed table
_N_TOP = 5


def attention_cli(
    model: str = options.MODEL,
    text: str = typer.Argument(..., metavar="TEXT", help="The text"),
    spans: list[str] = typer.Option(
        [],
        "--span",
        help="Span to show: text that occurs once, or token offsets START:END; may be repeated. "
        "Without it and --cell, the fragments, gaps and types of all entities found",
    ),
    cells: list[str] = typer.Option(
        [], "--cell", help="Cell to show: token offsets ROW,COLUMN; may be repeated"
    ),
    output_path: Path | None = options.output(
        help="Folder for a page and plots; tables on the screen if not given"
    ),
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Show what a trained model attends to in a text.

    These are the linear attention over the tokens of a span, and the criss-cross attention of its
    cell over the grid."""
    from ..analysis.attention import attention
    from ..analysis.pipes import load_pipeline

    if output_path is not None:
        from ..drawing.page import check_plots

        check_plots()
    check_folder(output_path, [_PAGE], {"model": model})
    nlp, _ = load_pipeline(model, spans_key=spans_key, threshold=threshold, gpu_id=gpu_id)
    report = attention(nlp, text, spans=spans, cells=cells, spans_key=spans_key)
    if output_path is None:
        _print_report(report)
    else:
        from ..drawing.attention import draw_report
        from ..formats.outputs import filling

        page, plots = draw_report(report, _FORMATS)
        with filling(output_path) as folder:
            for name, content in {_PAGE: page.encode("utf-8"), **plots}.items():
                (folder / name).write_bytes(content)
        msg.good(f"{len(plots)} plots")
    for note in report.notes():
        msg.warn(note)
    if output_path is not None:
        print(output_path / _PAGE)


def _print_report(report: "AttentionReport") -> None:
    print_table(report.entity_rows(), ("Entity", "Text", "Tokens", "Score"), "lllr")
    for segment in report.segments:
        for cell in segment.cells:
            labels = segment.label_text(*cell)
            print_line(segment.title(*cell) + (f" [{labels}]" if labels else ""))
            print_table(segment.token_rows(*cell), ("Token", "Linear attention"))
            attended = segment.top_rows(*cell, _N_TOP)
            header = ("Most attended cells", "Row, column", "Labels", "Weight")
            print_table(attended, header, "lllr")
