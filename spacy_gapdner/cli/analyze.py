"""analyze: where trained pipelines go wrong, several side by side."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.docbin import read_docbin, require_docbins
from ..formats.files import filling, write_json
from ._model import BATCH_SIZE, CELL_THRESHOLD, GPU_ID, THRESHOLD, check_model, load_pipeline
from ._util import clean_errors

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.training import Example

    from ..analysis.model_report import EntityInContext, ModelReport

_MODEL_HELP = "Folder of a trained pipeline, installed package, or .spacy file with predictions"
# folders of spacy train, which say nothing without the folder that they are in
_TRAINED = ("model-best", "model-last")
# rows of a table on the screen that are numbers
_LAST_NUMBER = 6
_NUMBERS = {"gap_length": "Gap length", "fragments": "Fragments", "length": "Tokens"}


def analyze_cli(
    model: str = typer.Argument(..., help=f"{_MODEL_HELP}; NAME=MODEL gives it a name"),
    data: Path = typer.Argument(..., help=".spacy file with gold entities, or folder of such"),
    compare: list[str] = typer.Option(
        [], "--compare", "-c", metavar="MODEL", help="Another model; may be given several times"
    ),
    output_path: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        help="Folder for report.html, analysis.json, scores.csv and errors.csv",
    ),
    n_examples: int = typer.Option(
        20, "--examples", "-n", min=0, help="Errors of a kind and model in report.html at most"
    ),
    spans_key: str | None = typer.Option(
        None,
        "--spans-key",
        "-sk",
        help="Prefix of the span groups with entities; the first pipe's own if not given",
    ),
    threshold: float | None = THRESHOLD,
    cell_threshold: float | None = CELL_THRESHOLD,
    batch_size: int | None = BATCH_SIZE,
    gpu_id: int = GPU_ID,
) -> None:
    """Show where trained pipelines go wrong: scores by gap length, number of fragments and entity
    length, and on sentences with discontinuous and overlapping entities; errors by kind."""

    def run() -> dict[str, "ModelReport"]:
        return analyze(
            name_models([model, *compare]),
            data,
            spans_key=spans_key,
            threshold=threshold,
            cell_threshold=cell_threshold,
            batch_size=batch_size,
            gpu_id=gpu_id,
        )

    with clean_errors():
        if output_path is None:
            reports = run()
        elif output_path.is_file():
            raise GapDNERError(f"{output_path} is a file. Give the name of the folder to write.")
        else:
            from ..drawing.page import check_plots

            check_plots()
            # made before the work, to find out first whether it can be
            with filling(output_path) as folder:
                reports = run()
                write_reports(reports, data, folder, n_examples)
    print_reports(reports)
    if output_path is not None:
        print(output_path / "report.html")


def analyze(
    models: Mapping[str, str],
    data: Path,
    *,
    spans_key: str | None = None,
    threshold: float | None = None,
    cell_threshold: float | None = None,
    batch_size: int | None = None,
    gpu_id: int = -1,
) -> dict[str, "ModelReport"]:
    """Find out where models go wrong.

    models (Mapping[str, str]): By name, folders of trained pipelines, names of installed packages,
        or .spacy files with the predictions for the Docs of `data`, in the same order.
    data (Path): A .spacy file with gold entities, or a folder of such files.
    spans_key (Optional[str]): Prefix of the span groups with gold entities; that of the first
        pipe if None, or "gapdner" for a file of predictions.
    threshold (Optional[float]): Entities with a lower score are dropped; the pipe's own if None.
    cell_threshold (Optional[float]): Labels of the grid are used from this probability on; the
        pipe's own if None.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (dict[str, ModelReport]): Scores and errors by the models' names.
    RAISES (GapDNERError): If a pipeline or the data is missing or cannot be used.
    """
    from spacy.vocab import Vocab

    from ..analysis.model_report import report_model
    from ..analysis.predictions import predict_examples
    from ..entities import DEFAULT_SPANS_KEY

    files = require_docbins(data)
    for model in models.values():
        if not _holds_predictions(model):
            check_model(model)
        elif threshold is not None or cell_threshold is not None:
            raise GapDNERError(f"Thresholds are for pipelines: {model} is a file of predictions.")
    reports = {}
    for name, model in models.items():
        if _holds_predictions(model):
            vocab = Vocab()
            spans_key = spans_key or DEFAULT_SPANS_KEY
            gold = (doc for file in files for doc in read_docbin(file, vocab))
            examples = _join(model, read_docbin(Path(model), vocab), gold)
        else:
            nlp, pipe = load_pipeline(
                model,
                spans_key=spans_key,
                threshold=threshold,
                cell_threshold=cell_threshold,
                gpu_id=gpu_id,
            )
            # one key for all, so that all are compared with the same gold entities
            spans_key = pipe.key = spans_key or pipe.key
            docs = (doc for file in files for doc in read_docbin(file, nlp.vocab))
            examples = predict_examples(nlp, docs, batch_size)
        report = report_model(examples, spans_key)
        if not report.docs:
            raise GapDNERError(f"{data} holds no document. Check the path.")
        if not report.scores.rows()[0].gold:
            raise GapDNERError(f"{data} has no gold entities under the spans key {spans_key!r}.")
        reports[name] = report
    return reports


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


def write_reports(
    reports: Mapping[str, "ModelReport"], data: Path, folder: Path, n_examples: int
) -> None:
    """Write all that was found.

    reports (Mapping[str, ModelReport]): What `analyze` returns.
    data (Path): The data, for the heading.
    folder (Path): Where to write report.html, analysis.json, scores.csv and errors.csv.
    n_examples (int): Errors of a kind and model in report.html at most.
    RAISES (ImportError): If matplotlib is not installed.
    """
    from ..analysis.subsets import ScoreRow
    from ..drawing.analysis_report import render_report

    page = render_report(reports, str(data), n_examples)
    (folder / "report.html").write_text(page, encoding="utf-8")
    models = {name: report.to_dict() for name, report in reports.items()}
    write_json({"data": str(data), "models": models}, folder / "analysis.json")
    _write_csv(
        folder / "scores.csv",
        ("model", *ScoreRow._fields),
        (
            (name, *(round(cell, 6) if isinstance(cell, float) else cell for cell in row))
            for name, report in reports.items()
            for row in report.scores.rows()
        ),
    )
    sides = [f"{side}_{part}" for side in ("gold", "predicted") for part in _ENTITY_COLUMNS]
    _write_csv(
        folder / "errors.csv",
        ("model", "kind", "doc", "name", "sentence", *sides),
        (
            (name, e.kind, e.doc, e.name, e.sentence, *_columns(e.gold), *_columns(e.predicted))
            for name, report in reports.items()
            for e in report.errors
        ),
    )


def print_reports(reports: Mapping[str, "ModelReport"]) -> None:
    """Print tables with a column per model.

    reports (Mapping[str, ModelReport]): What `analyze` returns.
    """
    from ..analysis.subsets import SUBSETS, pool_tail, select

    rows = {name: report.scores.rows() for name, report in reports.items()}
    tables = {"Exact match": [select(of_model, "subset") for of_model in rows.values()]}
    for group, title in _NUMBERS.items():
        tables[title] = [pool_tail(select(r, group), _LAST_NUMBER) for r in rows.values()]
    for title, by_model in tables.items():
        columns = [{row.value: row for row in of_model} for of_model in by_model]
        values = list(dict.fromkeys(value for column in columns for value in column))
        if title != "Exact match":
            values.sort(key=lambda value: int(value.rstrip("+")))
        printed = []
        for value in values:
            found = [column.get(value) for column in columns]
            gold = max(row.gold for row in found if row is not None)
            cells = [_cell(row.p, row.r, row.f) if row else "-" for row in found]
            printed.append((SUBSETS.get(value, value), gold, *cells))
        if printed:
            _print_table(printed, (title, "Gold", *(f"{name} F (P/R)" for name in reports)))
    counts = [report.count_errors() for report in reports.values()]
    by_kind = zip(*counts, strict=True)
    printed = [(of_kind[0].kind, *(count.errors for count in of_kind)) for of_kind in by_kind]
    _print_table(printed, ("Errors", *reports))


def _print_table(rows: Sequence[Sequence[Any]], header: Sequence[str]) -> None:
    aligns = ["l"] + ["r"] * (len(header) - 1)
    msg.table(rows, header=header, divider=True, aligns=aligns, max_col=60)


def _cell(p: float | None, r: float | None, f: float | None) -> str:
    if p is None or r is None or f is None:
        return "-"
    return f"{100 * f:.1f} ({100 * p:.1f}/{100 * r:.1f})"


def _holds_predictions(model: str) -> bool:
    return Path(model).suffix == ".spacy"


def _join(model: str, predicted: Iterable["Doc"], gold: Iterable["Doc"]) -> Iterator["Example"]:
    from spacy.training import Example

    for prediction, reference in zip_longest(predicted, gold):
        if prediction is None or reference is None:
            raise GapDNERError(f"{model} does not have as many documents as the data.")
        yield Example(prediction, reference)


_ENTITY_COLUMNS = ("label", "text", "fragments")


def _columns(entity: "EntityInContext | None") -> tuple[str, str, str]:
    if entity is None:
        return "", "", ""
    offsets = ";".join(f"{start} {end}" for start, end in entity.fragments)
    return entity.label, entity.text, offsets


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
