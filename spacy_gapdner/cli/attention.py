"""attention: what a trained model looks at in a text."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from wasabi import msg

from ..errors import GapDNERError
from ._model import CELL_THRESHOLD, GPU_ID, THRESHOLD, load_pipeline
from ._util import clean_errors

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..drawing.attention import AttentionReport, SegmentAttention
    from ..entities import DiscontinuousEntity
    from ._cells import Cell


_PAGE = "attention.html"
_FORMATS = {"png": ("png",), "svg": ("svg",), "both": ("png", "svg")}
# rows of a printed table
_N_TOP = 5


def attention_cli(
    model: str = typer.Argument(..., help="Folder of a trained pipeline, or installed package"),
    text: str = typer.Argument(..., help="The text"),
    spans: list[str] = typer.Option(
        [],
        "--span",
        help="Span to show: text that occurs once, or token offsets START:END; may be repeated. "
        "Without it and --cell, the fragments, gaps and types of all entities found",
    ),
    lower: bool = typer.Option(
        False, "--lower", help="Of every --span the cell of its type (tail, head)"
    ),
    cells: list[str] = typer.Option(
        [], "--cell", help="Cell to show: token offsets ROW,COLUMN; may be repeated"
    ),
    output_path: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        help="Folder for a page and plots; tables on the screen if not given",
    ),
    format: str = typer.Option(
        "both", "--format", "-f", help="Format of the single plots in --output: png, svg or both"
    ),
    spans_key: str | None = typer.Option(
        None, "--spans-key", "-sk", help="Chooses the pipe where the pipeline has several"
    ),
    threshold: float | None = THRESHOLD,
    cell_threshold: float | None = CELL_THRESHOLD,
    gpu_id: int = GPU_ID,
) -> None:
    """Show the linear attention over the tokens of a span, and the criss-cross attention of its
    cell over the grid."""
    with clean_errors():
        if output_path is not None:
            check_output(output_path, format)
        report = attention(
            model,
            text,
            spans=spans,
            lower=lower,
            cells=cells,
            spans_key=spans_key,
            threshold=threshold,
            cell_threshold=cell_threshold,
            gpu_id=gpu_id,
        )
        if output_path is not None:
            n_plots = write_report(report, output_path, format)
    if output_path is None:
        print_report(report)
    for note in report.notes():
        msg.warn(note)
    if output_path is not None:
        msg.good(f"{n_plots} plots")
        print(output_path / _PAGE)


def attention(
    model: str | Path,
    text: str,
    *,
    spans: Iterable[str] = (),
    lower: bool = False,
    cells: Iterable[str] = (),
    spans_key: str | None = None,
    threshold: float | None = None,
    cell_threshold: float | None = None,
    gpu_id: int = -1,
) -> "AttentionReport":
    """Record what a model looks at while it finds the entities of a text.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    text (str): The text.
    spans (Iterable[str]): Spans to show: text that occurs once, or "START:END" in token offsets.
    lower (bool): Show of each span the cell of a type (tail, head), else (head, tail).
    cells (Iterable[str]): Cells to show: "ROW,COLUMN" in token offsets. Without `spans` and
        `cells`, all cells of the entities found.
    spans_key (Optional[str]): Chooses one of several pipes.
    threshold (Optional[float]): Entities with a lower score are dropped; the pipe's own if None.
    cell_threshold (Optional[float]): Labels of the grid are used from this probability on; the
        pipe's own if None.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (AttentionReport): The entities, and the attentions of the chosen cells.
    RAISES (GapDNERError): If the pipeline cannot be used or has neither attention, a span or cell
        cannot be found, or none is chosen and there are no entities.
    """
    from ..drawing.attention import AttentionReport, SegmentAttention, label_cells
    from ..entities import get_entities
    from ..model.attention_maps import find_network, record_attention
    from ._cells import find_segment

    spans, cells = list(spans), list(cells)
    if lower and not spans:
        raise GapDNERError("--lower belongs to --span: give a span.")
    nlp, pipe = load_pipeline(
        model,
        spans_key=spans_key,
        threshold=threshold,
        cell_threshold=cell_threshold,
        gpu_id=gpu_id,
    )
    with _format_errors():
        find_network(pipe.model)
    with record_attention(pipe.model) as recording:
        doc = nlp(text)
    [segments] = pipe.segments([doc])
    if not segments:
        raise GapDNERError("The text is empty.")
    with _format_errors():
        maps = recording.maps(doc, segments)
    entities = get_entities(doc, pipe.key)
    chosen: dict[int, list[Cell]] = {}
    for row, column in _choose_cells(doc, entities, spans, lower, cells):
        number = find_segment((row, column), segments)
        start = segments[number].start
        chosen.setdefault(number, []).append((row - start, column - start))
    layout = pipe.tagging.layout(len(pipe.labels))
    lowest = pipe.selection.lowest_cell(pipe.labels)
    views = []
    for number in sorted(chosen):
        labelled = pipe.tagging.labelled_cells(maps[number].scores, lowest)
        labels = label_cells(labelled, layout, pipe.labels)
        views.append(SegmentAttention(maps[number], labels, chosen[number]))
    return AttentionReport(doc, entities, views)


def check_output(folder: Path, format: str) -> None:
    """Make sure that plots can be drawn and written, before any work is done.

    folder (Path): Where they go.
    format (str): "png", "svg" or "both".
    RAISES (GapDNERError): If the folder is a file, or there is no such format.
    RAISES (ImportError): If matplotlib is not installed.
    """
    from ..drawing.page import check_plots

    if format not in _FORMATS:
        raise GapDNERError(f"Unknown format {format!r}: choose {', '.join(_FORMATS)}.")
    if folder.exists() and not folder.is_dir():
        raise GapDNERError(f"{folder} is a file. Give a folder.")
    check_plots()


def write_report(report: "AttentionReport", folder: Path, format: str = "both") -> int:
    """Write the page attention.html and a plot of every label grid and cell.

    report (AttentionReport): What `attention` returns.
    folder (Path): Is made; files of the same name are replaced.
    format (str): Format of the single plots: "png", "svg" or "both".
    RETURNS (int): Number of plots.
    RAISES (ImportError): If matplotlib is not installed.
    """
    from ..drawing.attention import draw_report
    from ..formats.files import replacing

    # all is drawn before anything is written
    page, plots = draw_report(report, _FORMATS[format])
    for name, content in {_PAGE: page.encode("utf-8"), **plots}.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return len(plots)


def print_report(report: "AttentionReport") -> None:
    """Print the attentions as tables.

    report (AttentionReport): What `attention` returns.
    """
    rows = report.entity_rows()
    if rows:
        msg.table(rows, header=("Entity", "Text", "Tokens", "Score"), divider=True, max_col=60)
    for segment in report.segments:
        for cell in segment.cells:
            _print_cell(segment, *cell)


def _print_cell(segment: "SegmentAttention", row: int, column: int) -> None:
    labels = segment.label_text(row, column)
    print(segment.title(row, column) + (f" [{labels}]" if labels else ""))
    tokens = segment.token_rows(row, column)
    if tokens:
        msg.table(tokens, header=("Token", "Linear attention"), divider=True, aligns=["l", "r"])
    cells = segment.top_rows(row, column, _N_TOP)
    if cells:
        header = ("Most attended cells", "Row, column", "Labels", "Weight")
        msg.table(cells, header=header, divider=True, aligns=list("lllr"), max_col=60)


def _choose_cells(
    doc: "Doc",
    entities: Iterable["DiscontinuousEntity"],
    spans: list[str],
    lower: bool,
    cells: list[str],
) -> list["Cell"]:
    from ._cells import entity_cells, parse_cell, span_cell

    if spans or cells:
        chosen = [span_cell(doc, span, lower) for span in spans]
        return list(dict.fromkeys([*chosen, *(parse_cell(doc, cell) for cell in cells)]))
    found = entity_cells(entity.to_entity() for entity in entities)
    if not found:
        raise GapDNERError(
            "The model finds no entity in the text. Choose what to look at with --span or --cell."
        )
    return found


@contextmanager
def _format_errors() -> Iterator[None]:

    try:
        yield
    except ValueError as error:
        raise GapDNERError(str(error)) from None
