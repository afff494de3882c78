"""The command ``python -m project.paper``: a user's copy of a corpus beside published figures."""

from collections import Counter
from pathlib import Path

import typer
from wasabi import msg

from spacy_gapdner.analysis import stats
from spacy_gapdner.cli import _options as options
from spacy_gapdner.cli._printing import print_report, print_statistics
from spacy_gapdner.cli._util import clean_errors
from spacy_gapdner.formats import Report, blank_pipeline, load_docs
from spacy_gapdner.formats.docbin import find_docbins
from spacy_gapdner.formats.outputs import check_output, write_json

from . import readers as readers
from .expectations import FigureCheck, compare_figures, get_figures

app = typer.Typer(name="project.paper", rich_markup_mode=None)


@app.command()
def figures_cli(
    corpus: str = typer.Argument(..., metavar="CORPUS", help="cadec, share13 or share14"),
    data: Path = typer.Argument(
        ..., metavar="DATA", help="The corpus as it is distributed, or what convert made of it"
    ),
    split: str | None = typer.Option(None, help="train, dev or test; all if not given"),
    ids: Path | None = typer.Option(None, help="See convert"),
    strict: bool = typer.Option(False, "--strict", help="Exit code 1 if a figure differs"),
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output(help="JSON file for the numbers"),
) -> None:
    """Count what a copy of a corpus holds, and compare it with what is published."""
    with clean_errors():
        check_output(output_path, {"data": data, "list": ids})
        # a wrong name shall not show only after the reading
        get_figures(corpus, split)
        is_converted = bool(find_docbins(data))
        format = None if is_converted else corpus
        given = {"ids": ids} if is_converted else {"split": split, "ids": ids}
        report = Report()
        docs = load_docs(blank_pipeline(), data, spans_key, format=format, report=report, **given)
        statistics = stats(docs, spans_key=spans_key)
        checks = compare_figures(corpus, split, statistics, None if is_converted else report)
        if output_path is not None:
            values = statistics.to_dict() | {"compared": [check._asdict() for check in checks]}
            if not is_converted:
                values["report"] = report.to_dict()
            write_json(values, output_path)
    print_statistics({"": statistics})
    if not is_converted:
        print_report(report)
    _print_figures(corpus, checks)
    if strict and any(check.result == "differs" for check in checks):
        raise typer.Exit(1)


def _print_figures(corpus: str, checks: list[FigureCheck]) -> None:
    msg.divider(f"Published and found: {corpus}")
    rows = [
        (c.name, c.expected, "?" if c.found is None else c.found, c.result, c.hint or c.source)
        for c in checks
    ]
    header = ("", "published", "found", "result", "source, or what may explain it")
    msg.table([tuple(map(str, row)) for row in rows], header=header, divider=True, max_col=80)
    counts = Counter(c.result for c in checks)
    unknown = f", {counts['not known']} not known" if counts["not known"] else ""
    if counts["differs"]:
        msg.warn(f"{counts['differs']} of {len(checks)} figures differ{unknown}")
    else:
        msg.good(f"{counts['same']} figures are as published{unknown}")


if __name__ == "__main__":
    app()
