"""Draw Figures 8 and 9 of the paper for any text: the command ``python -m
project.paper.attention``."""

from pathlib import Path

import typer

from spacy_gapdner import GapDNERError
from spacy_gapdner.cli import _options as options
from spacy_gapdner.cli._util import clean_errors
from spacy_gapdner.inference.loading import load_recognizer

from .attention_maps import record_attention
from .attention_page import draw_report

app = typer.Typer(name="project.paper.attention", rich_markup_mode=None)


@app.command()
def attention_cli(
    model: str = options.MODEL,
    text: str = typer.Argument(..., metavar="TEXT", help="The text"),
    spans: list[str] = typer.Option(
        [],
        "--span",
        help="A span that occurs once in the text. Can be repeated. By default, the fragments, "
        "gaps and types of all predicted entities are shown",
    ),
    cells: list[str] = typer.Option(
        [], "--cell", help="Token offsets ROW,COLUMN of a cell. Can be repeated"
    ),
    output_path: Path = typer.Option(
        Path("attention"), "--output", "-o", help="Folder for attention.html and the plots"
    ),
) -> None:
    """Plot the attention weights of a trained model for a text: the linear attention over the
    tokens of a span, and the criss-cross attention of its cell.
    """
    with clean_errors():
        if output_path.is_file():
            raise GapDNERError(f"{output_path} is a file. Use a folder.")
        nlp, _ = load_recognizer(model)
        files = draw_report(record_attention(nlp, text, spans=spans, cells=cells))
        output_path.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (output_path / name).write_bytes(content)
    print(output_path / "attention.html")


if __name__ == "__main__":
    app()
