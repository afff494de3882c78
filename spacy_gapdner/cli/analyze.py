"""analyze: show the errors of one or more trained pipelines."""

from pathlib import Path

import typer

from .. import analysis, formats
from ..errors import GapDNERError
from . import _options as options
from ._util import print_line, print_table, split_list

# causes that are printed
_N_CAUSES = 3
_FILES = ("report.html", "analysis.json", "scores.csv", "errors.csv")


def analyze_cli(
    model: str = typer.Argument(
        metavar="MODEL",
        help="Folder of a trained pipeline, or name of an installed package; use NAME=MODEL to set "
        "the name in the report",
    ),
    data: Path = options.DATA,
    compare: list[str] = typer.Option([], metavar="MODEL", help="Another model; can be repeated"),
    output_path: Path | None = options.output(
        help="Folder for report.html, analysis.json, scores.csv and errors.csv"
    ),
    force: bool = options.FORCE,
    train_path: Path | None = typer.Option(
        None,
        "--train",
        metavar="<path>",
        help="Training data, to show how it annotates the texts of the errors",
    ),
    types: str | None = options.TYPES,
    spans_key: str | None = options.spans_key(
        help="Prefix of the span groups with entities (default: set by the first model)"
    ),
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Show the errors of trained pipelines.

    The report describes the errors that lower F1 most, and contains all errors in their sentences.
    Scores are by type, gap length, number of fragments and entity length, and for sentences with
    discontinuous or overlapping entities."""
    from ..analysis.causes import describe_documents, describe_near, find_causes, summarize
    from ..analysis.model_report import TABLES, f1_table, percent_f1
    from ..components.pipelines import check_model
    from ..drawing.analysis_report import write_report
    from ..formats.outputs import check_output
    from ..inference.loading import load_recognizer

    models: dict[str, str] = {}
    for text in (model, *compare):
        is_named = "=" in text and not Path(text).exists()
        name, given = text.split("=", 1) if is_named else (Path(text).name, text)
        if name in models:
            raise GapDNERError(f"Two models have the name {name}. Use NAME={given} to rename one.")
        models[name] = given
    inputs = {f"model {name}": given for name, given in models.items()}
    for file in _FILES:
        check_output(output_path and output_path / file, {"data": data, **inputs}, force=force)
    # report missing files before loading a model
    formats.guess_format(data)
    for given in models.values():
        check_model(given)
    kept, reports = split_list(types), {}
    for name, given in models.items():
        nlp, pipe = load_recognizer(given, gold_key=spans_key, threshold=threshold, gpu_id=gpu_id)
        # all models are compared with the same gold entities
        spans_key = spans_key or pipe.key
        reports[name] = analysis.analyze(
            nlp,
            formats.load_docs(nlp, data, spans_key, types=kept),
            spans_key=spans_key,
            types=kept,
            batch_size=batch_size,
            train=formats.load_docs(nlp, train_path, spans_key) if train_path else None,
        )
        reports[name].model = given
    tallies = [report.scores for report in reports.values()]
    for group, title in TABLES.items():
        table = f1_table(tallies, group)
        rows = [(name, gold, *map(percent_f1, found)) for name, gold, *found in table]
        print_table(rows, (title, "Gold", *(f"{name} F (P/R)" for name in reports)))
    by_model = [report.count_errors() for report in reports.values()]
    counts = [(kind, *(found[kind]["errors"] for found in by_model)) for kind in by_model[0]]
    print_table(counts, ("Errors", *reports))
    for name, report in reports.items():
        print_line(f"{name}: {summarize(report)}")
        for number, cause in enumerate(find_causes(report, _N_CAUSES), start=1):
            print_line(f"{number}. {cause.fact} {cause.advice}")
        for note in filter(None, (describe_documents(report), describe_near(report))):
            print_line(note)
    if output_path is not None:
        write_report(reports, str(data), output_path)
        print(output_path / "report.html")
