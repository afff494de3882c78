"""Reports on models side by side, their files and their tables."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wasabi import msg

from ..errors import GapDNERError
from ._model import check_model, load_pipeline
from ._util import read_docs

if TYPE_CHECKING:
    from ..analysis.model_report import ModelReport

# rows of a table on the screen that are numbers
_LAST_NUMBER = 6
_NUMBERS = {"gap_length": "Gap length", "fragments": "Fragments", "length": "Tokens"}


def report_models(
    models: Mapping[str, str],
    data: Path,
    spans_key: str | None,
    settings: Mapping[str, Any],
    batch_size: int | None,
    gpu_id: int,
) -> dict[str, "ModelReport"]:
    """Analyze models on the same data.

    models (Mapping[str, str]): By name, folders of trained pipelines, names of installed packages,
        or .spacy files with the predictions for the Docs of `data`, in the same order.
    data (Path): A .spacy file with gold entities, or a folder of such files.
    spans_key (Optional[str]): Prefix of the span groups with entities; that of the first pipe if
        None, or "gapdner" for a file of predictions.
    settings (Mapping[str, Any]): Settings of pipes by name, see `load_pipeline`; None for the
        pipe's own.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (dict[str, ModelReport]): Scores and errors by the models' names.
    RAISES (GapDNERError): If a pipeline or the data is missing or cannot be used.
    """
    from spacy.vocab import Vocab

    from ..analysis.model_report import analyze, report_model
    from ..analysis.predictions import pair_examples
    from ..entities import DEFAULT_SPANS_KEY
    from ..formats.docbin import read_docbin, require_docbins

    require_docbins(data)
    predictions = {model for model in models.values() if Path(model).suffix == ".spacy"}
    for model in models.values():
        if model not in predictions:
            check_model(model)
        elif any(value is not None for value in settings.values()):
            raise GapDNERError(f"Thresholds are for pipelines: {model} is a file of predictions.")
    reports = {}
    for name, model in models.items():
        if model in predictions:
            spans_key = spans_key or DEFAULT_SPANS_KEY
            vocab = Vocab()
            docs = read_docs(data, vocab)
            examples = pair_examples(read_docbin(Path(model), vocab), docs, source=model)
            report = report_model(examples, spans_key)
        else:
            nlp, pipe = load_pipeline(model, spans_key=spans_key, gpu_id=gpu_id, **settings)
            # one key for all, so that all are compared with the same gold entities
            spans_key = spans_key or pipe.key
            docs = read_docs(data, nlp.vocab)
            report = analyze(nlp, docs, spans_key=spans_key, batch_size=batch_size)
        if not report.scores.rows()[0].gold:
            raise GapDNERError(f"{data} has no gold entities under the spans key {spans_key!r}.")
        reports[name] = report
    return reports


def write_reports(
    reports: Mapping[str, "ModelReport"], data: Path, folder: Path, n_examples: int
) -> None:
    """Write all that was found.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    data (Path): The data, for the heading.
    folder (Path): Where to write report.html, analysis.json, scores.csv and errors.csv.
    n_examples (int): Errors of a kind and model in report.html at most.
    RAISES (ImportError): If matplotlib is not installed.
    """
    from ..analysis.report_tables import error_table, score_table
    from ..drawing.analysis_report import render_report
    from ..formats.files import write_json

    page = render_report(reports, str(data), n_examples)
    (folder / "report.html").write_text(page, encoding="utf-8")
    models = {name: report.to_dict() for name, report in reports.items()}
    write_json({"data": str(data), "models": models}, folder / "analysis.json")
    _write_csv(folder / "scores.csv", score_table(reports))
    _write_csv(folder / "errors.csv", error_table(reports))


def print_reports(reports: Mapping[str, "ModelReport"]) -> None:
    """Print tables with a column per model.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
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


def _write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
