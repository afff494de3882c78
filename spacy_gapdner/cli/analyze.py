"""analyze: where trained pipelines go wrong, several side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import GapDNERError
from ._options import (
    BATCH_SIZE,
    CELL_THRESHOLD,
    DATA,
    GPU_ID,
    THRESHOLD,
    examples_option,
    output_option,
    spans_key_option,
)
from ._reports import print_reports, report_models, write_reports
from ._util import clean_errors

if TYPE_CHECKING:
    from ..analysis.model_report import ModelReport

# folders of spacy train, which say nothing without the folder that they are in
_TRAINED = ("model-best", "model-last")


def analyze_cli(
    model: str = typer.Argument(
        ...,
        metavar="MODEL",
        help="Folder of a trained pipeline, installed package, or .spacy file with predictions; "
        "NAME=MODEL gives it a name",
    ),
    data: Path = DATA,
    compare: list[str] = typer.Option(
        [], "--compare", metavar="MODEL", help="Another model; may be given several times"
    ),
    output_path: Path | None = output_option(
        "Folder for report.html, analysis.json, scores.csv and errors.csv"
    ),
    n_examples: int = examples_option("Errors of a kind and model in report.html at most"),
    spans_key: str | None = spans_key_option(
        "Prefix of the span groups with entities; the first pipe's own if not given"
    ),
    threshold: float | None = THRESHOLD,
    cell_threshold: float | None = CELL_THRESHOLD,
    batch_size: int | None = BATCH_SIZE,
    gpu_id: int = GPU_ID,
) -> None:
    """Show where trained pipelines go wrong.

    It tells scores by gap length, number of fragments and entity length, and on sentences with
    discontinuous and overlapping entities; and errors by kind."""

    def run() -> dict[str, "ModelReport"]:
        settings = {"threshold": threshold, "cell_threshold": cell_threshold}
        models = name_models([model, *compare])
        return report_models(models, data, spans_key, settings, batch_size, gpu_id)

    with clean_errors():
        if output_path is None:
            reports = run()
        elif output_path.is_file():
            raise GapDNERError(f"{output_path} is a file. Give the name of the folder to write.")
        else:
            from ..drawing.page import check_plots
            from ..formats.files import filling

            check_plots()
            # made before the work, to find out first whether it can be
            with filling(output_path) as folder:
                reports = run()
                write_reports(reports, data, folder, n_examples)
    print_reports(reports)
    if output_path is not None:
        print(output_path / "report.html")


def name_models(models: Sequence[str]) -> dict[str, str]:
    """Give models their names.

    models (Sequence[str]): "name=model", or a model, which is called by the end of its path.
    RETURNS (dict[str, str]): Models by name.
    RAISES (GapDNERError): If two have the same name.
    """

    named: dict[str, str] = {}
    for text in models:
        name, equals, model = text.partition("=")
        if not equals or Path(text).exists():
            path = Path(text)
            model = text
            name = path.name if path.name not in _TRAINED else "/".join(path.parts[-2:])
        if name in named:
            raise GapDNERError(
                f"Two models are called {name}. Write NAME={model} to choose a name."
            )
        named[name] = model
    return named
