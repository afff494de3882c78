"""Compare a copy of a corpus with published figures: the command ``python -m project.paper``."""

from collections import Counter
from pathlib import Path
from typing import Any

import typer
from wasabi import msg

from spacy_gapdner.analysis import stats
from spacy_gapdner.cli._options import SPANS_KEY, output
from spacy_gapdner.cli._util import clean_errors, print_report, print_statistics
from spacy_gapdner.formats import Report, blank_pipeline, load_docs
from spacy_gapdner.formats.outputs import check_output, write_json

from ..docbins import find_docbins
from . import readers as readers
from .expectations import compare_figures, get_figures

app = typer.Typer(name="project.paper", rich_markup_mode=None)


@app.command()
def figures_cli(
    corpus: str = typer.Argument(..., metavar="CORPUS", help="cadec, share13 or share14"),
    data: Path = typer.Argument(
        ..., metavar="DATA", help="The corpus as distributed, or converted to .spacy"
    ),
    split: str | None = typer.Option(None, help="train, dev or test. All by default"),
    ids: Path | None = typer.Option(None, help="List of documents, or its folder; see convert"),
    strict: bool = typer.Option(False, "--strict", help="Exit code 1 if a figure differs"),
    spans_key: str = SPANS_KEY,
    output_path: Path | None = output(help="JSON file for the figures"),
) -> None:
    """Compare a copy of a corpus with published figures."""
    with clean_errors():
        check_output(output_path, {"data": data, "list": ids}, force=True)
        # report invalid names before reading the corpus
        get_figures(corpus, split)
        is_converted = bool(find_docbins(data))
        format = None if is_converted else corpus
        options = {"ids": ids} if is_converted else {"split": split, "ids": ids}
        report = Report()
        docs = load_docs(blank_pipeline(), data, spans_key, format=format, report=report, **options)
        statistics = stats(docs, spans_key=spans_key)
        checks = compare_figures(corpus, split, statistics, None if is_converted else report)
        if output_path is not None:
            values = statistics.to_dict() | {"compared": checks}
            if not is_converted:
                values["report"] = report.to_dict()
            write_json(values, output_path)
    print_statistics({"": statistics})
    if not is_converted:
        print_report(report)
    _print_figures(corpus, checks)
    if strict and any(check["result"] == "differs" for check in checks):
        raise typer.Exit(1)


def _print_figures(corpus: str, checks: list[dict[str, Any]]) -> None:
    msg.divider(f"Published figures: {corpus}")
    rows = []
    for check in checks:
        found = "?" if check["found"] is None else str(check["found"])
        reason = check["hint"] or check["source"]
        rows.append((check["name"], str(check["expected"]), found, check["result"], reason))
    header = ("", "published", "found", "result", "source or possible reason")
    msg.table(rows, header=header, divider=True, max_col=80)
    counts = Counter(check["result"] for check in checks)
    unknown = f", {counts['unknown']} unknown" if counts["unknown"] else ""
    if counts["differs"]:
        msg.warn(f"{counts['differs']} of {len(checks)} figures differ{unknown}")
    else:
        msg.good(f"{counts['same']} figures are the same{unknown}")


if __name__ == "__main__":
    app()
