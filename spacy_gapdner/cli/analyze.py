"""analyze: where trained pipelines go wrong, several side by side."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import GapDNERError
from . import _options as options
from ._printing import msg, print_table
from ._util import check_folder, split_list

if TYPE_CHECKING:
    from ..analysis.model_report import ModelReport

_FILES = ("report.html", "analysis.json", "scores.csv", "errors.csv")
# folders of spacy train, which say nothing without the folder that they are in
_TRAINED = ("model-best", "model-last")


def analyze_cli(
    model: str = typer.Argument(
        ...,
        metavar="MODEL",
        help="Folder of a trained pipeline, installed package, or .spacy file with predictions; "
        "NAME=MODEL gives it a name",
    ),
    data: Path = options.DATA,
    compare: list[str] = typer.Option(
        [], metavar="MODEL", help="Another model; may be given several times"
    ),
    output_path: Path | None = options.output(
        help="Folder for report.html, analysis.json, scores.csv and errors.csv"
    ),
    n_examples: int = options.examples(help="Errors of a kind and model in report.html at most"),
    types: str | None = options.TYPES,
    spans_key: str | None = options.spans_key(
        help="Prefix of the span groups with entities; the first pipe's own if not given"
    ),
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Show where trained pipelines go wrong.

    It tells scores by gap length, number of fragments and entity length, and on sentences with
    discontinuous and overlapping entities; and errors by kind."""
    from ..formats.outputs import filling

    models = name_models([model, *compare])
    # an input may lie in the folder, but not under the name of a page
    for given in models.values():
        check_folder(output_path, _FILES, {"data": data, "model": given})
    how: dict[str, Any] = {"threshold": threshold, "gpu_id": gpu_id}
    reports = _report_models(models, data, split_list(types), spans_key, batch_size, how)
    if output_path is not None:
        with filling(output_path) as folder:
            _write(reports, data, folder, n_examples)
    _print(reports)
    if output_path is not None:
        from ..drawing.page import has_plots

        if not has_plots():
            msg.warn("report.html has no plots: they need pip install 'spacy-gapdner[plots]'.")
        print(output_path / "report.html")


def _report_models(
    models: Mapping[str, str],
    data: Path,
    types: tuple[str, ...],
    spans_key: str | None,
    batch_size: int | None,
    how: dict[str, Any],
) -> dict[str, "ModelReport"]:
    import spacy

    from ..analysis.model_report import analyze, report_model
    from ..analysis.pipes import load_recognizer
    from ..analysis.predictions import pair_examples
    from ..entities import DEFAULT_SPANS_KEY
    from ..formats import find_format, load_docs, read_docbin
    from ..loading import check_model

    find_format(data)
    for model in models.values():
        if not _holds_predictions(model):
            check_model(model)
        elif how["threshold"] is not None:
            raise GapDNERError(f"Thresholds are for pipelines: {model} is a file of predictions.")
    reports = {}
    for name, model in models.items():
        if _holds_predictions(model):
            spans_key = spans_key or DEFAULT_SPANS_KEY
            nlp = spacy.blank("en")
            docs = load_docs(nlp, data, spans_key, types=types)
            examples = pair_examples(read_docbin(Path(model), nlp.vocab), docs, source=model)
            report = report_model(examples, spans_key)
        else:
            nlp, pipe = load_recognizer(model, spans_key=spans_key, **how)
            # one key for all, so that all are compared with the same gold entities
            spans_key = spans_key or pipe.key
            docs = load_docs(nlp, data, spans_key, types=types)
            report = analyze(nlp, docs, spans_key=spans_key, batch_size=batch_size)
        if not report.scores.rows()[0].gold:
            raise GapDNERError(f"{data} has no gold entities under the spans key {spans_key!r}.")
        reports[name] = report
    return reports


def _holds_predictions(model: str) -> bool:
    return Path(model).suffix == ".spacy"


def name_models(models: Sequence[str]) -> dict[str, str]:
    """Give models their names."""
    named: dict[str, str] = {}
    for text in models:
        name, equals, model = text.partition("=")
        if not equals or Path(text).exists():
            path, model = Path(text), text
            name = path.name if path.name not in _TRAINED else "/".join(path.parts[-2:])
        if name in named:
            raise GapDNERError(
                f"Two models are called {name}. Write NAME={model} to choose a name."
            )
        named[name] = model
    return named


def _write(reports: Mapping[str, "ModelReport"], data: Path, folder: Path, n_examples: int) -> None:
    from ..analysis.model_report import ERROR_COLUMNS
    from ..analysis.subsets import ScoreRow
    from ..drawing.analysis_report import render_report
    from ..formats.outputs import write_json
    from ..formats.tables import write_rows

    page = render_report(reports, str(data), n_examples)
    (folder / "report.html").write_text(page, encoding="utf-8")
    models = {name: report.to_dict() for name, report in reports.items()}
    write_json({"data": str(data), "models": models}, folder / "analysis.json")
    scores: list[tuple[Any, ...]] = [("model", *ScoreRow._fields)]
    errors: list[tuple[Any, ...]] = [("model", *ERROR_COLUMNS)]
    for name, report in reports.items():
        for row in report.scores.rows():
            scores.append((name, *(round(c, 6) if isinstance(c, float) else c for c in row)))
        errors += [(name, *error.to_row()) for error in report.errors]
    for name, rows in (("scores.csv", scores), ("errors.csv", errors)):
        with (folder / name).open("w", encoding="utf-8", newline="") as stream:
            write_rows(stream, rows)


def _print(reports: Mapping[str, "ModelReport"]) -> None:
    from ..analysis.subsets import f1_tables

    models = {name: report.scores.rows() for name, report in reports.items()}
    for title, rows in f1_tables(models).items():
        print_table(rows, (title, "Gold", *(f"{name} F (P/R)" for name in reports)))
    by_kind = zip(*(report.count_errors() for report in reports.values()), strict=True)
    counts = [(of_kind[0].kind, *(count.errors for count in of_kind)) for of_kind in by_kind]
    print_table(counts, ("Errors", *reports))
